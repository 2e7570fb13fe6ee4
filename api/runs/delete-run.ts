import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { deleteRun as remove } from "../../shared/store/runs/delete-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export const deleteRun = defineOperation({
  method: "delete",
  path: "/v1/runs/{run_id}",
  name: "delete_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Delete a run that has ended",
  description:
    "Deletes the run with its transcript and artifacts. A callback that was not delivered yet is not sent. The id of a run that was executed is not free again. 409 while the run has not ended, or the run that has started it has not.",
  request: { params: runParams },
  errors: ["run_not_ended", "parent_not_ended"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db, streams, log }: Pick<ApiContext, "log" | "db" | "streams">, { params: { run_id }, caller }) {
    const done = await remove(db, run_id, caller.owner);
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
    return { status: 204 };
  },
});
