import { z } from "zod";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { beforeFirst, compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import { isTerminal } from "../../../shared/domain/run/run-status.ts";
import { clientId } from "../../../shared/schemas/primitives.ts";
import type { RunEvent, StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { AcceptDeps } from "../../../shared/services/runs/accept-run.ts";
import { cancelRun } from "../../../shared/services/runs/cancel-run.ts";
import { type ResumeDeps, resumeRun } from "../../../shared/services/runs/resume-run.ts";
import { readAnswers } from "../../../shared/store/runs/questions/read-answers.ts";
import { readRunStates } from "../../../shared/store/runs/read/read-run-states.ts";
import { readOpenInterrupt } from "../../../shared/store/runs/moves/resume-run.ts";
import type { ApiContext } from "../../context.ts";
import { acceptAndFollow } from "../../stream/accept-and-follow.ts";
import { followEvents } from "../../stream/follow-events.ts";
import type { Tail } from "../../stream/tail.ts";
import { awayOf } from "../../stream/resume-elsewhere.ts";
import { writeSse } from "../../stream/write-sse.ts";
import { type Answer, emptyAnswer } from "../rpc-response.ts";
import { rpcCodes, RpcError } from "../rpc-error.ts";
import type { RpcId } from "../rpc-id.ts";
import { readExecuteRequest } from "../read-execute-request.ts";
import { agentOf } from "./agent-tools.ts";
import { readCursor, type RunCall, runIdOf, startCursors } from "./call-cursor.ts";
import { replyOf } from "./elicitation.ts";
import type { McpRequest } from "./mcp-request.ts";
import type { ToolCall } from "./tool-set.ts";
import { type CallTranslation, readQuestionId, translateCall } from "./translate-call.ts";

export type CallDeps = AcceptDeps & ResumeDeps & Pick<ApiContext, "hub" | "leaving" | "stores">;

/** Runs the agent that a tool stands for, and streams the call until its result. */
export async function callAgent(deps: CallDeps, request: McpRequest, tool: ToolCall): Promise<Answer> {
  const { caller, session, traceparent = null } = request;
  const agent_id = agentOf(tool.name);
  if (!clientId().safeParse(agent_id).success) throw notFound("agent", agent_id);
  const run_id = runIdOf(caller.user_id, session.id, tool.id);
  const thread_id = tool.meta["runfleet/thread_id"];
  const asked = readExecuteRequest({ agent_id, version: "current", input_payload: tool.args, run_id, thread_id });
  request.holdOpen();
  const origin = { owner: caller.owner, actor: caller.actor, traceparent, key: null };
  const { tail, queued } = await acceptAndFollow(deps, asked, origin);
  if (queued === null && (await hasEnded(deps, run_id))) {
    tail.close();
    throw new RpcError(
      rpcCodes.invalid_request,
      `The id ${tool.id} was used in this session before. Use another id, or begin a new session.`,
    );
  }
  const call: RunCall = { run_id, rpc_id: tool.id, progress_token: tool.progress_token };
  return streamCall(deps, request, { call, tail, after: null });
}

async function hasEnded({ db }: Pick<CallDeps, "db">, run_id: string): Promise<boolean> {
  const [state] = await readRunStates(db, [run_id], null);
  return state !== undefined && isTerminal(state.status);
}

/** Goes on with the stream of a call after the event that the client got last. */
export async function resumeCall(deps: CallDeps, request: McpRequest, lastEventId: string): Promise<Answer> {
  const cursor = readCursor(lastEventId);
  if (!cursor) throw new RpcError(rpcCodes.invalid_request, "`Last-Event-ID` is no id of a stream of this endpoint.");
  const { call, after } = cursor;
  const [state] = await readRunStates(deps.db, [call.run_id], request.caller.owner);
  if (!state) throw notFound("run", call.run_id);
  if (isTerminal(state.status) && compareEventIds(after, state.last) >= 0) return emptyAnswer(204);
  request.holdOpen();
  return streamCall(deps, request, { call, tail: deps.hub.open(call.run_id), after });
}

type Streaming = {
  call: RunCall;
  tail: Tail;
  /** The last event that the client has. Null: the stream begins. */
  after: EventId | null;
};

async function streamCall(deps: CallDeps, request: McpRequest, streaming: Streaming): Promise<Answer> {
  const { call, tail, after } = streaming;
  try {
    const answered = new Set((await readAnswers(deps.db, call.run_id)).keys());
    const translation = translateCall({ ...call, answered, base: request.base, canAsk: request.session.canAsk });
    const away = awayOf(deps);
    const gone = AbortSignal.any([request.untilGone(), away.cutOff]);
    const texts = callTexts(deps, { call, tail, after, translation, gone });
    return { respond: (_req, res) => writeSse(res, texts, away) };
  } catch (error) {
    tail.close();
    throw error;
  }
}

/** How long a client waits before it resumes a stream. */
const retryMs = 300;

/**
 * Yields a call's stream. All events from the first one on are translated, since the result is made of all of them; those that
 * the client has are not sent again.
 */
async function* callTexts(
  deps: CallDeps,
  { call, tail, after, translation, gone }: Streaming & { translation: CallTranslation; gone: AbortSignal },
): AsyncGenerator<string> {
  const idOf = startCursors(call);
  if (after === null) yield `id: ${idOf(beforeFirst)}\nretry: ${retryMs}\ndata: \n\n`;
  for await (const event of eventsOverQuestions(deps, tail, { gone, isOver: () => translation.isAnswered() })) {
    const messages = translation.push(JSON.parse(event.data) as RunEvent);
    if (after === null || compareEventIds(event, after) > 0) yield encode(messages, idOf(event));
  }
}

type Until = {
  /** Aborted when the client is gone, which cancels nothing. */
  gone: AbortSignal;
  isOver: () => boolean;
};

/** Yields a run's events, also those after a question: the run goes on with the answer, which is a request of its own. */
async function* eventsOverQuestions(deps: CallDeps, first: Tail, { gone, isOver }: Until): AsyncGenerator<StreamEvent> {
  let tail = first;
  let next: Tail | null = first;
  let cursor: EventId = beforeFirst;
  const close = (): void => tail.close();
  gone.addEventListener("abort", close);
  try {
    while (next && !gone.aborted) {
      tail = next;
      next = null;
      for await (const events of followEvents(deps, tail, { cursor, fresh: false })) {
        yield* events;
        const last = events.at(-1);
        cursor = last ? { attempt: last.attempt, seq: last.seq } : cursor;
        const isAsking = last?.type === "run.interrupted" && !isOver() && !deps.leaving.aborted;
        next?.close();
        // The next tail listens before this one ends.
        next = isAsking ? deps.hub.open(tail.runId) : null;
      }
    }
  } finally {
    close();
    next?.close();
    gone.removeEventListener("abort", close);
  }
}

/** The id stands on the last message of an event: a reader that was cut before it gets all of them again. */
const encode = (messages: readonly object[], id: string): string =>
  messages
    .map((message, at) => {
      const place = at === messages.length - 1 ? `id: ${id}\n` : "";
      return `event: message\n${place}data: ${JSON.stringify(message)}\n\n`;
    })
    .join("");

/** Cancels the run that a request of this session started. */
export async function cancelCall(deps: CallDeps, { caller, session }: McpRequest, rpc_id: RpcId): Promise<void> {
  await cancelRun(deps, runIdOf(caller.user_id, session.id, rpc_id), caller);
}

const elicitationResult = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).nullish(),
});

/** Answers the run whose question a client's answer names. `result` null: the client could not ask. */
export async function answerQuestion(
  deps: CallDeps,
  { caller }: McpRequest,
  id: RpcId,
  result: unknown,
): Promise<void> {
  const question = readQuestionId(id);
  if (!question) throw new RpcError(rpcCodes.invalid_request, `No question has the id '${id}'.`);
  const { run_id, interrupt_id } = question;
  const [state] = await readRunStates(deps.db, [run_id], caller.owner);
  if (!state) throw notFound("run", run_id);
  const read = elicitationResult.safeParse(result ?? { action: "cancel" });
  if (!read.success) throw new RpcError(rpcCodes.invalid_request, "result.action must be accept, decline or cancel.");
  const { action, content } = read.data;
  const open = await readOpenInterrupt(deps.db, run_id);
  const isOpen = open?.id === interrupt_id;
  const reply = replyOf(open?.response_schema ?? null, action, content ?? {});
  if (reply.kind === "cancel") {
    if (isOpen) await cancelRun(deps, run_id, caller);
    return;
  }
  const { response } = reply;
  await resumeRun(deps, { run_id, interrupt_id, response, answered_by: caller.actor }, caller.owner);
}
