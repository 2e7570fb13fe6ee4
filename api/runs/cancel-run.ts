import { notFound } from "../../shared/domain/errors/app-error.ts";
import { runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { cancelRun as cancel } from "../../shared/services/runs/cancel-run.ts";
import { runParams } from "./run-params.ts";

export const cancelRun = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/cancel",
  name: "cancel_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Cancel a run",
  description:
    "A queued, scheduled or interrupted run ends at once. A running run is stopped by its worker. A suspended run starts once more to clean up, and then ends; a second cancel ends it at once while it is queued, and within `stop_grace_ms` when its code runs. An ended run does not change. Runs that the run has started are cancelled, too.",
  request: { params: runParams },
  responses: { 200: { description: "The run", schema: runRecord } },
  async handle(ctx: Pick<ApiContext, "db" | "streams" | "queue">, { params, caller }) {
    if (!(await cancel(ctx, params.run_id, caller))) throw notFound("run", params.run_id);
    const body = await readRun(ctx.db, params.run_id, caller.owner);
    if (!body) throw notFound("run", params.run_id);
    return { status: 200, body };
  },
});
