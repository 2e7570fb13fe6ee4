import { idempotencyKeyReused } from "../../domain/errors/validation-fault.ts";
import { newId } from "../../platform/ids.ts";
import { trace } from "../../platform/run-trace-marks.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { Db } from "../../store/client.ts";
import { claimKey, type RepeatKey } from "../../store/users/idempotency-keys.ts";
import { executeHash } from "./request-hash.ts";

/**
 * Returns the client's run id, else the run id of the first request with the same key, else a new one. Of two requests with
 * one key, the first to commit inserts the run, and the other attaches to it.
 */
export async function chooseRunId(
  db: Db,
  request: ExecuteRequest,
  { key, key_hash }: { key: RepeatKey | null; key_hash?: Buffer | undefined },
): Promise<string> {
  const run_id = request.run_id ?? newId("run");
  trace(run_id, "checked");
  if (key === null) return run_id;
  const hash = key_hash ?? executeHash(request);
  const claimed = await claimKey(db, key, hash, { status: 200, text: run_id });
  if (claimed.kind === "first") return run_id;
  if (!claimed.request_hash.equals(hash)) throw idempotencyKeyReused();
  return claimed.answer?.text ?? run_id;
}
