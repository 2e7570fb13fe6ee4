import type { Db } from "../../shared/store/client.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

const runTokenMs = 3_600_000;

type Asked = {
  expires_at: Date | null;
  run_id: string | null;
  /** When the key of the request expires. Null: never. */
  latest: Date | null;
};

/**
 * Returns when a key expires: as requested, else in an hour for a run's read token, else never (null); at the latest when the key of
 * the request does. Throws ValidationFault for a past time, and for one after that.
 */
export async function chooseExpiry(db: Db, { expires_at, run_id, latest }: Asked): Promise<Date | null> {
  const now = await readClock(db);
  if (expires_at && expires_at <= now) throw fault("this time has passed");
  if (expires_at && latest && expires_at > latest)
    throw fault(
      `the key of this request expires before, at ${latest.toISOString()}: a key that it makes can't outlive it`,
    );
  const chosen = expires_at ?? (run_id === null ? null : new Date(now.getTime() + runTokenMs));
  return chosen === null || (latest && latest < chosen) ? latest : chosen;
}

const fault = (sentence: string): ValidationFault =>
  new ValidationFault([{ type: "value_error", loc: ["body", "expires_at"], msg: `Value error, ${sentence}` }]);
