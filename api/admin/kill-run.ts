import { endRun } from "../../shared/services/runs/end-run.ts";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { killBody } from "../../shared/schemas/admin.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const killRun = defineOperation({
  method: "post",
  path: "/v1/admin/runs/{run_id}/kill",
  name: "kill_run",
  area: "Admin",
  scope: "admin",
  audit: "run",
  summary: "End a run at once, even if its worker hangs",
  description:
    "With the answer the run is `cancelled`, and its worker can't write to it any more. A live worker kills the run's process. `POST /v1/runs/{run_id}/cancel` asks the worker to stop the run instead. An ended run does not change.",
  request: {
    params: z.object({ run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }) }),
    body: killBody,
  },
  responses: { 200: { description: "The run", schema: runRecord } },
  async handle(ctx: Pick<ApiContext, "db" | "streams" | "queue">, { params: { run_id }, body: { reason }, caller }) {
    const nothing = { result_content: null, state_snapshot: null };
    const error = { code: "killed", type: null, message: reason, traceback: null };
    const outcome = { ...nothing, status: "cancelled", error } as const;
    for (;;) {
      const run = await readRunHandle(ctx.db, run_id, null);
      if (!run) throw notFound("run", run_id);
      if (isTerminal(run.status)) break;
      if (await endRun(ctx, run, { cause: "complete", outcome, reason: "killed", duration_ms: null, by: caller.actor }))
        break;
    }
    const body = await readRun(ctx.db, run_id, null);
    if (!body) throw notFound("run", run_id);
    return { status: 200, body };
  },
});
