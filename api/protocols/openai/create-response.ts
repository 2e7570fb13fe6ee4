import { z } from "zod";
import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { newId } from "../../../shared/platform/ids.ts";
import type { RunRecord } from "../../../shared/schemas/run.ts";
import { type AcceptDeps, acceptErrors } from "../../../shared/services/runs/accept-run.ts";
import type { Origin } from "../../../shared/services/runs/prepare-run.ts";
import { resumeErrors } from "../../../shared/services/runs/resume-run.ts";
import { readRun } from "../../../shared/store/runs/read/read-run.ts";
import { readOpenInterrupt } from "../../../shared/store/runs/moves/resume-run.ts";
import type { ApiContext } from "../../context.ts";
import type { Caller } from "../../http/caller.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { type FollowedRun, streamOf } from "../../stream/respond-run.ts";
import { resumeAndFollow } from "../../stream/resume-and-follow.ts";
import { textOf } from "../chat-input.ts";
import { chooseAgent } from "../choose-agent.ts";
import { collectRun, readRunEvents } from "../collect-run.ts";
import { paramsOf } from "../params.ts";
import { readAnswer } from "../read-answer.ts";
import { startTurn } from "../start-turn.ts";
import { threadHistory } from "../thread-history.ts";
import { metadataOf } from "./create-chat-completion.ts";
import { parseResponseId, type ResponseId } from "./response-id.ts";
import { readResponse, responseProjection } from "./response-events.ts";
import { answerIn, messagesOf, type ResponseRequest, responseRequest } from "./response-request.ts";
import { previousNotFound } from "./show-error.ts";

type Deps = AcceptDeps & Pick<ApiContext, "hub" | "leaving" | "stores">;
type Begun = ResponseId & { run: FollowedRun };
type Previous = { id: ResponseId; record: RunRecord };

export const createResponse = defineOperation({
  method: "post",
  path: "/openai/v1/responses",
  name: "openai_create_response",
  area: "OpenAI",
  scope: "runs:write",
  audit: { none: "The run is the record: its timeline names who started it." },
  ignores: "unknown_input",
  summary: "Run an agent as a response",
  request: { body: responseRequest },
  errors: [...acceptErrors, ...resumeErrors, "too_many_streams"],
  responses: { 200: { description: "The response, or its events", schema: z.unknown(), streams: true } },
  async handle(ctx: Deps, { body, caller, traceparent, untilGone, holdOpen }) {
    if (body.stream || !body.background) holdOpen();
    const metadata = metadataOf(body);
    const origin = { owner: caller.owner, actor: caller.actor, traceparent: traceparent ?? null, key: null, metadata };
    const previous = await readPrevious(ctx, body, caller);
    const begun = (await answerQuestion(ctx, body, previous, caller)) ?? (await startRun(ctx, body, previous, origin));
    const { run, run_id, part } = begun;
    const more = {
      metadata: body.metadata ?? {},
      user: body.user ?? null,
      background: body.background ?? false,
      previous_response_id: body.previous_response_id ?? null,
    };
    const options = { run_id, part, model: body.model, more };
    const headers = { "X-Run-Id": run_id };
    // The events have numbers of their own, which count from the run's first event.
    const whole = { ...run, cursor: beforeFirst };
    if (body.stream) return streamOf(ctx, whole, { projection: responseProjection(options, -1), headers });
    const response = readResponse(options);
    if (body.background) {
      run.tail.close();
      await readRunEvents(ctx, run_id, (event) => response.push(event));
      return { status: 200, body: { ...response.response(), status: "queued" }, headers };
    }
    // When this process can't follow the run to its end, the client retrieves the response, which is `in_progress`, later.
    await collectRun(ctx, whole, (event) => response.push(event), untilGone());
    return { status: 200, body: response.response(), headers };
  },
});

/** Returns the response that the client refers to. Null: it names none. */
async function readPrevious(ctx: Deps, body: ResponseRequest, { owner }: Caller): Promise<Previous | null> {
  const named = body.previous_response_id;
  if (named == null) return null;
  const id = parseResponseId(named);
  const record = await readRun(ctx.db, id.run_id, owner);
  if (record) return { id, record };
  const msg = `Previous response with id '${named}' not found.`;
  throw new ValidationFault([{ type: previousNotFound, loc: ["body", "previous_response_id"], msg }]);
}

/** Answers the question of the previous response. Null: the input is no answer to it. */
async function answerQuestion(
  ctx: Deps,
  body: ResponseRequest,
  previous: Previous | null,
  caller: Caller,
): Promise<Begun | null> {
  const answer = answerIn(body);
  if (!answer || !previous) return null;
  const { run_id, part } = previous.id;
  const open = await readOpenInterrupt(ctx.db, run_id);
  // The output of one of the client's own tools.
  if (!open && !answer.call_id.startsWith("int_")) return null;
  const response = readAnswer(textOf(answer.output), open?.response_schema ?? null);
  const reply = { run_id, interrupt_id: answer.call_id, response, answered_by: caller.actor };
  return { run_id, part: part + 1, run: await resumeAndFollow(ctx, reply, caller.owner) };
}

async function startRun(ctx: Deps, body: ResponseRequest, previous: Previous | null, origin: Origin): Promise<Begun> {
  const { model, store, conversation } = body;
  const run_id = newId("run");
  const given = typeof conversation === "string" ? conversation : conversation?.id;
  const thread_id = given ?? previous?.record.thread_id ?? (store === false ? null : run_id);
  const goesOn = given !== undefined || previous !== null;
  const agent = await chooseAgent(ctx, model, origin.owner);
  const run = await startTurn(
    ctx,
    {
      ...agent,
      run_id,
      thread_id,
      messages: messagesOf(body),
      fields: paramsOf(responseRequest, body),
      ...(goesOn && thread_id !== null ? { history: await threadHistory(ctx, thread_id, origin.owner) } : {}),
    },
    origin,
  );
  return { run_id, part: 1, run };
}
