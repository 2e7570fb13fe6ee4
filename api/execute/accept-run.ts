import { conflict } from "../../shared/errors.ts";
import { beforeFirst } from "../../shared/run/event-id.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { insertRun, type NewRun } from "../../shared/store/runs/insert-run.ts";
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
  /** The run that this one repeats. */
  replay_of?: string;
};

/**
 * Checks, commits and nudges. After it returned, the run is owed an end, whatever happens to this process. The caller
 * closes the tail, which listens since before the run could have started.
 */
export async function acceptRun(ctx: ApiContext, request: ExecuteRequest, origin: Origin): Promise<Accepted> {
  const run = await prepareRun(ctx, request, origin);
  const tail = ctx.hub.open(run.id);
  try {
    const inserted = await commitRun(ctx, run);
    if (inserted) await nudgeRun(ctx, run.id, tail);
    const { id: run_id, thread_id } = run;
    return { run_id, thread_id, queued: inserted ? run.queued_event : null, tail, cursor: beforeFirst };
  } catch (error) {
    tail.close();
    throw error;
  }
}

/** The same for a run whose stream nobody here reads. Gives its id. */
export async function acceptUnread(ctx: ApiContext, request: ExecuteRequest, origin: Origin): Promise<string> {
  const run = await prepareRun(ctx, request, origin);
  if (await commitRun(ctx, run)) await nudgeRun(ctx, run.id, null);
  return run.id;
}

async function prepareRun(ctx: ApiContext, request: ExecuteRequest, origin: Origin): Promise<NewRun> {
  const version = await checkAcceptable(ctx, request, origin.owner);
  const run_id = await chooseRunId(ctx.db, request, origin.key);
  return newRun(ctx.config.encryptionKeys, {
    request,
    version,
    run_id,
    traceparent: origin.traceparent,
    replay_of: origin.replay_of ?? null,
  });
}

/** False: this very request has made the run before. Throws conflict when another one has. */
async function commitRun({ db }: ApiContext, run: NewRun): Promise<boolean> {
  const insertion = await insertRun(db, run);
  if (insertion.kind === "taken" && !insertion.request_hash.equals(run.request_hash))
    throw conflict("run_id_taken", `The run id '${run.id}' stands for another request.`);
  return insertion.kind === "inserted";
}
