import { removeRun } from "../../shared/services/runs/remove-run.ts";
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
    "Deletes the run with its transcript and artifacts. A callback that was not delivered yet is not sent. The id of a run that was executed is not free again. 409 while the run has not ended, or the run that has started it has not.",
  request: { params: runParams },
  errors: ["run_not_ended", "parent_not_ended"],
  responses: { 204: { description: "Deleted" } },
  async handle(ctx: Pick<ApiContext, "log" | "db" | "streams" | "queue">, { params: { run_id }, caller }) {
    await removeRun(ctx, run_id, caller);
    return { status: 204 };
  },
});
