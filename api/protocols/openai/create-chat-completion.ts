import { z } from "zod";
import { unavailable } from "../../../shared/domain/errors/app-error.ts";
import { type AcceptDeps, acceptErrors } from "../../../shared/services/runs/accept-run.ts";
import { cancelRun } from "../../../shared/services/runs/cancel-run.ts";
import type { Origin } from "../../../shared/services/runs/prepare-run.ts";
import { resumeErrors } from "../../../shared/services/runs/resume-run.ts";
import { readOpenInterrupt } from "../../../shared/store/runs/moves/resume-run.ts";
import type { ApiContext } from "../../context.ts";
import type { Caller } from "../../http/caller.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { type FollowedRun, streamOf } from "../../stream/respond-run.ts";
import { resumeAndFollow } from "../../stream/resume-and-follow.ts";
import { textOf } from "../chat-input.ts";
import { chooseAgent } from "../choose-agent.ts";
import { collectRun } from "../collect-run.ts";
import { paramsOf } from "../params.ts";
import { readAnswer } from "../read-answer.ts";
import { startTurn } from "../start-turn.ts";
import { chatProjection } from "./chat-chunks.ts";
import { collectCompletion } from "./chat-completion.ts";
import { type ChatRequest, chatRequest } from "./chat-request.ts";
import { readCallId } from "./question.ts";
import { onceAborted } from "../../../shared/platform/lifecycle/once-aborted.ts";

type Deps = AcceptDeps & Pick<ApiContext, "hub" | "leaving" | "stores">;

export const createChatCompletion = defineOperation({
  method: "post",
  path: "/openai/v1/chat/completions",
  name: "openai_create_chat_completion",
  area: "OpenAI",
  scope: "runs:write",
  audit: { none: "The run is the record: its timeline names who started it." },
  ignores: "unknown_input",
  summary: "Run an agent as a chat completion",
  request: { body: chatRequest },
  errors: [...acceptErrors, ...resumeErrors, "run_not_found", "too_many_streams"],
  responses: {
    200: { description: "The completion, or its chunks", schema: z.unknown(), streams: true },
    500: { description: "The run failed", schema: z.unknown() },
  },
  async handle(ctx: Deps, { body, caller, traceparent, untilGone, holdOpen }) {
    holdOpen();
    const origin = {
      owner: caller.owner,
      actor: caller.actor,
      traceparent: traceparent ?? null,
      key: null,
      metadata: metadataOf(body),
    };
    const run = (await answerQuestion(ctx, body, caller)) ?? (await startChat(ctx, body, origin));
    const gone = untilGone();
    // Nobody can read a completion again, so its run ends with its reader.
    onceAborted(gone, () => void cancelRun(ctx, run.run_id, caller).catch(() => undefined));
    if (body.stream) {
      const includeUsage = body.stream_options?.include_usage ?? false;
      const projection = chatProjection({ model: body.model, includeUsage, cursor: run.cursor });
      return streamOf(ctx, run, { projection, headers: {} });
    }
    const completion = collectCompletion(body.model, run.cursor);
    const isWhole = await collectRun(ctx, run, (event) => completion.push(event), gone);
    if (!isWhole && !gone.aborted) {
      // The library sends the request again: it starts another run, or finds that the answered one has ended.
      await cancelRun(ctx, run.run_id, caller);
      throw unavailable("leaving", "This process can't follow the run any longer. The run is cancelled.", 1);
    }
    const result = completion.result();
    if (result.failed === null) return { status: 200, body: result.completion, headers: { "X-Run-Id": run.run_id } };
    // The library would run the agent again.
    const headers = { "X-Run-Id": run.run_id, "x-should-retry": "false" };
    return { status: 500, body: { error: result.failed }, headers };
  },
});

/** Answers the question that the last messages are the tool outputs of. Null: they are none. */
async function answerQuestion(ctx: Deps, { messages }: ChatRequest, caller: Caller): Promise<FollowedRun | null> {
  const last = messages.at(-1);
  const asked = last?.role === "tool" && last.tool_call_id ? readCallId(last.tool_call_id) : null;
  if (!asked) return null;
  const open = await readOpenInterrupt(ctx.db, asked.run_id);
  const response = readAnswer(textOf(last?.content), open?.response_schema ?? null);
  return resumeAndFollow(ctx, { ...asked, response, answered_by: caller.actor }, caller.owner);
}

async function startChat(ctx: Deps, body: ChatRequest, origin: Origin): Promise<FollowedRun> {
  const { model, messages } = body;
  const agent = await chooseAgent(ctx, model, origin.owner);
  return startTurn(ctx, { ...agent, messages, fields: paramsOf(chatRequest, body) }, origin);
}

/** Returns what the client says of itself and of the request, for the run's metadata. */
export const metadataOf = ({ user, metadata }: Pick<ChatRequest, "user" | "metadata">): Record<string, unknown> => ({
  ...metadata,
  ...(user == null ? {} : { user }),
});
