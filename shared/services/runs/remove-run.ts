import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { errorText } from "../../platform/error-text.ts";
import type { Log } from "../../platform/log.ts";
import { deleteRun } from "../../store/runs/delete-run.ts";
import { type CancelDeps, cancelChildren, type Canceller } from "./cancel-run.ts";

export type RemoveDeps = CancelDeps & { log: Pick<Log, "warn"> };

/** Deletes an ended run with its stream. Throws not_found, and conflict while the run, or the run that has started it, has not ended. */
export async function removeRun(deps: RemoveDeps, run_id: string, { owner, actor }: Canceller): Promise<void> {
  const { db, streams, log } = deps;
  let done = await deleteRun(db, run_id, owner);
  for (; done === "has_children"; done = await deleteRun(db, run_id, owner)) await cancelChildren(deps, run_id, actor);
  if (done === "missing") throw notFound("run", run_id);
  if (done === "not_ended") throw conflict("run_not_ended", "The run has not ended. Cancel it first.");
  if (done === "parent_not_ended")
    throw conflict(
      "parent_not_ended",
      `The run that has started '${run_id}' (its parent_run_id) has not ended and may read its result. Delete it after that.`,
    );
  // Redis would expire the stream within minutes; until then a new run with the same id, which a run that was never executed leaves free, could not stream.
  await streams
    .forget(run_id)
    .catch((error: unknown) =>
      log.warn({ run_id, err: errorText(error) }, "a deleted run's stream could not be removed"),
    );
}
