import { admissionErrors } from "../../shared/domain/errors/error-codes.ts";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { beforeFirst } from "../../shared/domain/run/event-id.ts";
import { cancelAhead } from "../../shared/services/runs/cancel-ahead.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { insertRun, type NewRun } from "../../shared/store/runs/insert-run.ts";
import type { ApiContext } from "../context.ts";
import type { Accepted } from "./accepted.ts";
import { acceptableErrors } from "./check-acceptable.ts";
import { nudgeRun } from "./nudge-run.ts";
import { type Origin, prepareRun } from "./prepare-run.ts";
import { byWhatHolds } from "./version-view.ts";

/** What `acceptRun` throws. */
export const acceptErrors = [
  ...acceptableErrors,
  ...admissionErrors,
  "daemon_failed",
  "too_many_daemons",
  "thread_busy",
  "run_id_taken",
] as const;

/**
 * Checks, commits and nudges. After it returned, the run is owed an end, whatever happens to this process. The caller
 * closes the tail, which listens since before the run could have started.
 */
export function acceptRun(ctx: ApiContext, request: ExecuteRequest, origin: Origin): Promise<Accepted> {
  return byWhatHolds(ctx.versions, async (resolve) => {
    const run = await prepareRun(ctx, resolve, request, origin);
    const tail = ctx.hub.open(run.id);
    try {
      const inserted = await commitRun(ctx, run, origin.owner);
      if (inserted) await nudgeRun(ctx, run, tail);
      const { id: run_id, thread_id } = run;
      return { run_id, thread_id, queued: inserted ? run.queued_event : null, tail, cursor: beforeFirst };
    } catch (error) {
      tail.close();
      throw error;
    }
  });
}

/** The same for a run whose stream nobody here reads. Gives its id. */
export function acceptUnread(ctx: ApiContext, request: ExecuteRequest, origin: Origin): Promise<string> {
  return byWhatHolds(ctx.versions, async (resolve) => {
    const run = await prepareRun(ctx, resolve, request, origin);
    if (await commitRun(ctx, run, origin.owner)) await nudgeRun(ctx, run, null);
    return run.id;
  });
}

/** False: this very request has made the run before. Throws conflict when another one has. */
async function commitRun(ctx: ApiContext, run: NewRun, owner: Origin["owner"]): Promise<boolean> {
  const insertion = await insertRun(ctx.db, run, owner);
  if (insertion.kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (insertion.kind === "thread_busy")
    throw conflict("thread_busy", `The thread '${run.thread_id}' has a run that has not ended.`);
  if (insertion.kind === "taken" && !insertion.request_hash.equals(run.request_hash))
    throw conflict("run_id_taken", `The run id '${run.id}' stands for another request.`);
  // A repeat too: the first one may have died before it came so far.
  if (run.multitask === "interrupt") await cancelAhead(ctx, run);
  return insertion.kind === "inserted";
}
