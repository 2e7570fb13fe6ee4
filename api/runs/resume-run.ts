import { z } from "zod";
import { formatEventId } from "../../shared/domain/run/event-id.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import { type ResumeDeps, resumeErrors } from "../../shared/services/runs/resume-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { holdsOpen, parsePrefer, preferHeader } from "../http/parse-prefer.ts";
import { awaitRecord, streamOf } from "../stream/respond-run.ts";
import { formatQuery, viewOf } from "../stream/stream-format.ts";
import { resumeAndFollow } from "../stream/resume-and-follow.ts";
import { runParams } from "./run-params.ts";

const answer = z
  .object({
    response: z.unknown().meta({ description: "The value that the agent's `interrupt()` returns. Any JSON." }),
    interrupt_id: clientId().nullish().meta({ description: "The id of the interrupt. Left out: the open one." }),
  })
  .meta({ id: "InterruptAnswer", example: { response: { approved: true } } });

const resumedRun = runRecord
  .extend({ after: z.string().meta({ description: "The id of the event that asked. The stream goes on after it." }) })
  .meta({ id: "ResumedRun", example: { ...exampleOf(runRecord), after: "1-4" } });

export const resumeRun = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/resume",
  name: "resume_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Answer an interrupted run",
  description:
    "The run is queued again and continues with the answer, under the same run id and in the same stream. The answer is that of `POST /v1/execute`: the stream after the event that asked, or with `Prefer` the run. Only the first answer counts; any other is a 409.",
  request: {
    params: runParams,
    query: z.object(formatQuery),
    headers: z.object(preferHeader),
    body: answer,
  },
  errors: [...resumeErrors, "too_many_streams"],
  responses: {
    200: { description: "The stream; with `Prefer`, the ended run", schema: resumedRun, streams: true },
    202: {
      description: "The run, which has not ended. `Location` is where its stream goes on.",
      schema: resumedRun,
      example: { ...queuedExample, attempt: 1, after: "1-4" },
    },
  },
  async handle(
    ctx: ResumeDeps & Pick<ApiContext, "log" | "hub" | "leaving" | "stores">,
    { params: { run_id }, body, headers, query, caller, untilGone, holdOpen },
  ) {
    const prefer = parsePrefer(headers.prefer);
    if (holdsOpen(prefer)) holdOpen();
    const { response, interrupt_id = null } = body;
    const reply = { run_id, interrupt_id, response, answered_by: caller.actor };
    const resumed = await resumeAndFollow(ctx, reply, caller.owner);
    const view = viewOf(run_id, query.format);
    if (prefer === "stream") return streamOf(ctx, resumed, view);
    const record = await awaitRecord(ctx, resumed, { prefer, untilGone: untilGone(), owner: caller.owner });
    const after = formatEventId(resumed.cursor);
    const location = new URLSearchParams({ ...(query.format && { format: query.format }), after });
    const resumedAt = { ...view.headers, Location: `/v1/runs/${run_id}/stream?${String(location)}` };
    const answered = { body: { ...record, after }, headers: resumedAt };
    const hasEnded = record.completed_at !== null && prefer.waitMs > 0;
    return hasEnded ? { status: 200, ...answered } : { status: 202, ...answered };
  },
});
