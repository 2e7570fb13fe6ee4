import { conflict } from "../../shared/errors.ts";
import { beforeFirst } from "../../shared/run/event-id.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { insertRun } from "../../shared/store/runs/insert-run.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import type { ApiContext } from "../context.ts";
import type { Accepted } from "./accepted.ts";
import { checkAcceptable } from "./check-acceptable.ts";
import { chooseRunId } from "./choose-run-id.ts";
import { newRun } from "./new-run.ts";
import { nudgeRun } from "./nudge-run.ts";

export type Origin = {
  owner: Owner;
  traceparent: string | null;
  /** Requests with the same one share a run. */
  key: RepeatKey | null;
};

/**
 * Checks, commits and nudges. After it returned, the run is owed an end, whatever happens to this process. The caller
 * closes the tail, which listens since before the run could have started.
 */
export async function acceptRun(
  ctx: ApiContext,
  request: ExecuteRequest,
  { owner, traceparent, key }: Origin,
): Promise<Accepted> {
  const version = await checkAcceptable(ctx, request, owner);
  const run_id = await chooseRunId(ctx.db, request, key);
  const tail = ctx.hub.open(run_id);
  try {
    const run = newRun(ctx.config.encryptionKeys, { request, version, run_id, traceparent });
    const insertion = await insertRun(ctx.db, run);
    const attached = insertion.kind === "taken";
    if (attached && !insertion.request_hash.equals(run.request_hash))
      throw conflict("run_id_taken", `The run id '${run_id}' stands for another request.`);
    if (!attached) await nudgeRun(ctx, run_id, tail);
    return { run_id, thread_id: run.thread_id, queued: attached ? null : run.queued_event, tail, cursor: beforeFirst };
  } catch (error) {
    tail.close();
    throw error;
  }
}
