import { z } from "zod";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { laxBool, laxInt, text } from "../../../shared/schemas/primitives.ts";
import type { RunRecord } from "../../../shared/schemas/run.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { readRun } from "../../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { streamAgain } from "../../stream/respond-run.ts";
import { readRunEvents } from "../collect-run.ts";
import { readResponse, type ResponseOptions, responseProjection } from "./response-events.ts";
import { parseResponseId } from "./response-id.ts";

export const responseParams = z.object({ response_id: text({ max: 512 }) });

export const getResponse = defineOperation({
  method: "get",
  path: "/openai/v1/responses/{response_id}",
  name: "openai_get_response",
  area: "OpenAI",
  scope: "runs:read",
  ignores: "unknown_input",
  summary: "A response, or its events after a sequence number",
  request: {
    params: responseParams,
    query: z.object({ stream: laxBool().optional(), starting_after: laxInt({ ge: -1 }).optional() }),
  },
  errors: ["run_not_found", "too_many_streams"],
  responses: { 200: { description: "The response, or its events", schema: z.unknown(), streams: true } },
  async handle(
    ctx: Pick<ApiContext, "db" | "hub" | "log" | "leaving" | "stores">,
    { params: { response_id }, query, caller, holdOpen },
  ) {
    const options = await readOptions(ctx, response_id, caller.owner);
    const response = readResponse(options);
    const after = query.starting_after ?? -1;
    let stored = "";
    await readRunEvents(ctx, options.run_id, (event) => {
      for (const message of response.push(event))
        if (message.sequence_number > after) stored += encodeMessage(message, message.type);
    });
    if (!query.stream) return { status: 200, body: response.response() };
    // Its run may go on with an answer, which is another response.
    if (response.isOver()) return { status: 200, content_type: "text/event-stream; charset=utf-8", text: stored };
    holdOpen();
    const { run_id } = options;
    return streamAgain(
      ctx,
      { run_id, thread_id: null, cursor: beforeFirst },
      { projection: responseProjection(options, after), headers: { "X-Run-Id": run_id } },
    );
  },
});

/** Returns what a response is read with. Throws not_found. */
export async function readOptions(
  { db }: Pick<ApiContext, "db">,
  response_id: string,
  owner: Owner,
): Promise<ResponseOptions & { record: RunRecord }> {
  const id = parseResponseId(response_id);
  const record = await readRun(db, id.run_id, owner);
  if (!record) throw notFound("run", response_id);
  const { user = null, ...metadata } = record.metadata;
  return { ...id, model: null, more: { metadata, user }, record };
}
