import type { Db } from "../../shared/store/client.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

const runTokenMs = 3_600_000;

/** Returns when a key expires: as requested, else in an hour for a run's read token, else never (null). Throws ValidationFault for a past time. */
export async function chooseExpiry(
  db: Db,
  { expires_at, run_id }: { expires_at: Date | null; run_id: string | null },
): Promise<Date | null> {
  const now = await readClock(db);
  if (expires_at && expires_at <= now)
    throw new ValidationFault([
      { type: "value_error", loc: ["body", "expires_at"], msg: "Value error, this time has passed" },
    ]);
  return expires_at ?? (run_id === null ? null : new Date(now.getTime() + runTokenMs));
}
