import { z } from "zod";
import { conflict } from "../../../shared/domain/errors/app-error.ts";
import { text } from "../../../shared/schemas/primitives.ts";
import { type AcceptDeps, acceptErrors } from "../../../shared/services/runs/accept-run.ts";
import type { Origin } from "../../../shared/services/runs/prepare-run.ts";
import { resumeErrors } from "../../../shared/services/runs/resume-run.ts";
import { readAnswers } from "../../../shared/store/runs/questions/read-answers.ts";
import { findOpenInterrupts } from "../../../shared/store/threads/find-active-run.ts";
import type { ApiContext } from "../../context.ts";
import type { Caller } from "../../http/caller.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { type FollowedRun, streamOf, whileFollowing } from "../../stream/respond-run.ts";
import { resumeAndFollow } from "../../stream/resume-and-follow.ts";
import { cancelWhenLeft } from "../cancel-when-left.ts";
import { chooseAgent } from "../choose-agent.ts";
import { paramsOf } from "../params.ts";
import { startTurn } from "../start-turn.ts";
import { answersIn, type ChatRequest, chatRequest, responseOf, toMessage } from "./chat-request.ts";
import { chatMessage } from "./message-parts.ts";

type Deps = AcceptDeps & Pick<ApiContext, "hub" | "leaving" | "stores">;

export const sendMessages = defineOperation({
  method: "post",
  path: "/ai-sdk/{agent}",
  name: "ai_sdk_send_messages",
  area: "AI SDK",
  scope: "runs:write",
  audit: { none: "The run is the record: its timeline names who started it." },
  ignores: "unknown_input",
  summary: "Run an agent, or answer what it asked, for the AI SDK's chat transport",
  request: { params: z.object({ agent: text({ max: 512 }) }), body: chatRequest },
  errors: [...acceptErrors, ...resumeErrors, "run_not_found", "too_many_streams"],
  responses: { 200: { description: "The UI message stream", content_type: "text/event-stream", streams: true } },
  async handle(ctx: Deps, { params: { agent }, body, caller, traceparent, untilGone, holdOpen }) {
    holdOpen();
    const origin = { owner: caller.owner, actor: caller.actor, traceparent: traceparent ?? null, key: null };
    const run = (await answer(ctx, body, caller)) ?? (await start(ctx, agent, body, origin));
    cancelWhenLeft(ctx, run.run_id, { caller, gone: untilGone() });
    const answers = await whileFollowing(run, () => readAnswers(ctx.db, run.run_id));
    return streamOf(ctx, run, { projection: chatMessage(run.cursor, answers), headers: {} });
  },
});

/** Answers what the chat's runs ask. Null: the last message is no answer. */
async function answer(ctx: Deps, body: ChatRequest, caller: Caller): Promise<FollowedRun | null> {
  const given = answersIn(body);
  if (given.length === 0) return null;
  const open = await findOpenInterrupts(ctx.db, body.id, caller.owner);
  for (const one of given) {
    const asked = open.find(({ interrupt_id }) => interrupt_id === one.interrupt_id);
    if (!asked) continue;
    const { run_id, interrupt_id, response_schema } = asked;
    const reply = { run_id, interrupt_id, response: responseOf(one, response_schema), answered_by: caller.actor };
    return resumeAndFollow(ctx, reply, caller.owner);
  }
  throw conflict("interrupt_closed", `The chat '${body.id}' is not waiting for this answer.`);
}

async function start(ctx: Deps, name: string, body: ChatRequest, origin: Origin): Promise<FollowedRun> {
  const agent = await chooseAgent(ctx, name, origin.owner);
  const messages = body.messages.map(toMessage);
  return startTurn(ctx, { ...agent, thread_id: body.id, messages, fields: paramsOf(chatRequest, body) }, origin);
}
