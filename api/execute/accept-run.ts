import { conflict } from "../../shared/errors.ts";
import { beforeFirst } from "../../shared/run/event-id.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { insertRun, type NewRun } from "../../shared/store/runs/insert-run.ts";
import type { ApiContext } from "../context.ts";
import type { Accepted } from "./accepted.ts";
import { nudgeRun } from "./nudge-run.ts";
import { type Origin, prepareRun } from "./prepare-run.ts";

/**
 * Checks, commits and nudges. After it returned, the run is owed an end, whatever happens to this process. The caller
 * closes the tail, which listens since before the run could have started.
 */
export async function acceptRun(ctx: ApiContext, request: ExecuteRequest, origin: Origin): Promise<Accepted> {
  const run = await prepareRun(ctx, request, origin);
  const tail = ctx.hub.open(run.id);
  try {
    const inserted = await commitRun(ctx, run);
    if (inserted) await nudgeRun(ctx, run, tail);
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
  if (await commitRun(ctx, run)) await nudgeRun(ctx, run, null);
  return run.id;
}

/** False: this very request has made the run before. Throws conflict when another one has. */
async function commitRun({ db }: ApiContext, run: NewRun): Promise<boolean> {
  const insertion = await insertRun(db, run);
  if (insertion.kind === "taken" && !insertion.request_hash.equals(run.request_hash))
    throw conflict("run_id_taken", `The run id '${run.id}' stands for another request.`);
  return insertion.kind === "inserted";
}
