import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { deleteRun as remove } from "../../shared/store/runs/delete-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const deleteRun = defineOperation({
  method: "delete",
  path: "/v1/runs/{run_id}",
  name: "delete_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Delete a run that has ended",
  description:
    "With its transcript and artifacts. A callback that it still owes isn't sent any more. 409 while it goes on.",
  request: { params: runParams },
  errors: ["run_not_ended"],
  responses: { 204: { description: "It is gone" } },
  async handle({ db, streams, log }: ApiContext, { params: { run_id }, caller }) {
    const done = await remove(db, run_id, caller.owner);
    if (done === "missing") throw notFound("run", run_id);
    if (done === "not_ended") throw conflict("run_not_ended", "The run has not ended; cancel it first.");
    // Redis would forget it by itself within minutes; until then a new run of this id could not stream.
    await streams.forget(run_id).catch((error: unknown) => log.warn({ run_id, err: String(error) }, "not forgotten"));
    return { status: 204 };
  },
});
