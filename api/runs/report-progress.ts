import { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { laxFloat, text } from "../../shared/schemas/primitives.ts";
import { runRecord, runningExample } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import { setCurrentStatus } from "../../shared/store/runs/transcript/set-current-status.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const progress = z
  .object({
    value: laxFloat({ ge: 0, le: 1 }).nullish().meta({ description: "From 0 to 1." }),
    message: text({ max: 2_000 }).nullish().meta({ description: "The run's new `current_status`." }),
  })
  .meta({ id: "Progress", example: { value: 0.4, message: "reading page 2 of 5" } });

export const reportProgress = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/progress",
  name: "report_progress",
  area: "Runs",
  scope: "runs:write",
  audit: { none: "The run's own output: it becomes an event of the run." },
  summary: "Report a run's progress",
  description:
    "For an agent whose work happens outside its sandbox. The run's stream gets a `progress` event. 409 when the run is not running.",
  request: { params: runParams, body: progress },
  errors: ["run_not_running"],
  responses: { 202: { description: "The run", schema: runRecord, example: runningExample } },
  async handle(ctx: Pick<ApiContext, "db" | "streams">, { params: { run_id }, body, caller }) {
    const { value = null, message = null } = body;
    if (!(await readRunHandle(ctx.db, run_id, caller.owner))) throw notFound("run", run_id);
    const worker = await setCurrentStatus(ctx.db, run_id, message);
    const record = await readRun(ctx.db, run_id, caller.owner);
    if (!record) throw notFound("run", run_id);
    if (!worker) throw conflict("run_not_running", `The run is not running. Its status is ${record.status}.`);
    await ctx.streams.signalWorker(worker, { kind: "progress", run_id, value, message });
    return { status: 202, body: record };
  },
});
