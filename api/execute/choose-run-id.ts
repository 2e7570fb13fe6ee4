import { newId } from "../../shared/platform/ids.ts";
import { executeHash } from "../../shared/services/runs/request-hash.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { Db } from "../../shared/store/client.ts";
import { claimKey, type RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import { trace } from "../../shared/platform/trace.ts";
import { keyReused } from "../http/answer-once.ts";

/**
 * The client's run id, else that of the request which this one repeats, else a new one. The key's row is all that a
 * repeat needs: whichever of the two comes first inserts the run, and the other attaches to it.
 */
export async function chooseRunId(db: Db, request: ExecuteRequest, key: RepeatKey | null): Promise<string> {
  const run_id = request.run_id ?? newId("run");
  trace(run_id, "checked");
  if (key === null) return run_id;
  const hash = executeHash(request);
  const claimed = await claimKey(db, key, hash, { status: 200, text: run_id });
  if (claimed.kind === "first") return run_id;
  if (!claimed.request_hash.equals(hash)) throw keyReused();
  return claimed.answer?.text ?? run_id;
}
