import { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { queueTtlMs } from "../../shared/domain/run/limits.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read-run.ts";
import { readRunHandle } from "../../shared/store/runs/request-cancel.ts";
import { readOpenInterrupt, resumeRun as resume } from "../../shared/store/runs/resume-run.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const answer = z
  .object({
    response: z.unknown().meta({ description: "The value that the agent's `interrupt()` returns. Any JSON." }),
    interrupt_id: clientId().nullish().meta({ description: "The id of the interrupt. Left out: the open one." }),
  })
  .meta({ id: "InterruptAnswer", example: { response: { approved: true } } });

export const resumeRun = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/resume",
  name: "resume_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Answer an interrupted run",
  description:
    "The run is queued again and continues with the answer, under the same run id and in the same stream. Only the first answer counts; any other is a 409.",
  request: { params: runParams, body: answer },
  errors: ["run_not_interrupted", "interrupt_closed"],
  responses: {
    202: { description: "The run, queued again", schema: runRecord, example: { ...queuedExample, attempt: 1 } },
  },
  async handle(ctx: Pick<ApiContext, "db" | "queue" | "jsonSchemas">, { params: { run_id }, body, caller }) {
    const handle = await readRunHandle(ctx.db, run_id, caller.owner);
    if (!handle) throw notFound("run", run_id);
    const open = await readOpenInterrupt(ctx.db, run_id);
    if (!open) throw conflict("run_not_interrupted", "The run is not waiting for an answer.");
    if (body.interrupt_id && body.interrupt_id !== open.id)
      throw conflict(
        "interrupt_closed",
        `The run is not waiting for an answer to '${body.interrupt_id}'. The open interrupt is '${open.id}'.`,
      );
    if (open.is_expired)
      throw conflict("interrupt_closed", "The interrupt has expired. The run ends without an answer.");
    const faults = open.response_schema
      ? await ctx.jsonSchemas.faultsOf(handle.user_id, open.response_schema, body.response ?? null)
      : [];
    if (faults.length > 0)
      throw new ValidationFault(faults.map(({ loc, ...rest }) => ({ ...rest, loc: ["body", "response", ...loc] })));
    const reply = { run_id, interrupt_id: open.id, response: body.response ?? null, answered_by: caller.actor };
    if (!(await resume(ctx.db, { ...reply, queue_ttl_ms: queueTtlMs })))
      throw conflict("run_not_interrupted", "The run was answered, cancelled or expired at the same time.");
    await ctx.queue.dispatch(run_id).catch(() => undefined);
    const record = await readRun(ctx.db, run_id, caller.owner);
    if (!record) throw notFound("run", run_id);
    return { status: 202, body: record };
  },
});
