import { z } from "zod";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { type CancelDeps, cancelRun } from "../../../shared/services/runs/cancel-run.ts";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { awaitRunEnd } from "../../stream/await-run-end.ts";
import { readRunEvents } from "../collect-run.ts";
import { readOptions, responseParams } from "./get-response.ts";
import { readResponse } from "./response-events.ts";

/** A worker stops a run within this time. A response that takes longer is answered as it is. */
const maxStopMs = 10_000;

export const cancelResponse = defineOperation({
  method: "post",
  path: "/openai/v1/responses/{response_id}/cancel",
  name: "openai_cancel_response",
  area: "OpenAI",
  scope: "runs:write",
  audit: "run",
  ignores: "unknown_input",
  summary: "Cancel a response's run",
  request: { params: responseParams },
  errors: ["run_not_found", "too_many_streams"],
  responses: { 200: { description: "The response", schema: z.unknown() } },
  async handle(
    ctx: CancelDeps & Pick<ApiContext, "hub" | "leaving" | "stores">,
    { params: { response_id }, caller, untilGone, holdOpen },
  ) {
    holdOpen();
    const options = await readOptions(ctx, response_id, caller.owner);
    const { run_id } = options;
    const tail = ctx.hub.open(run_id);
    try {
      if (!(await cancelRun(ctx, run_id, caller))) throw notFound("run", response_id);
      const signals = [untilGone(), ctx.leaving];
      await awaitRunEnd(ctx, run_id, tail, { cursor: beforeFirst, fresh: false, ms: maxStopMs, signals });
    } finally {
      tail.close();
    }
    const response = readResponse(options);
    await readRunEvents(ctx, run_id, (event) => response.push(event));
    return { status: 200, body: response.response() };
  },
});
