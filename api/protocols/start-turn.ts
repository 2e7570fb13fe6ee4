import { notFound } from "../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { readConfig } from "../../shared/schemas/agent-config.ts";
import type { AcceptDeps } from "../../shared/services/runs/accept-run.ts";
import type { Origin } from "../../shared/services/runs/prepare-run.ts";
import { acceptAndFollow } from "../stream/accept-and-follow.ts";
import type { FollowedRun } from "../stream/respond-run.ts";
import type { TailHub } from "../stream/tail-hub.ts";
import { chatInput, type ChatMessage, plainContent, promptOf } from "./chat-input.ts";
import type { NamedAgent } from "./choose-agent.ts";
import { readExecuteRequest } from "./read-execute-request.ts";

export type Turn = NamedAgent & {
  run_id?: string;
  thread_id?: string | null;
  /** All messages of the conversation that the client sent; the last one of the user is the prompt. */
  messages: ChatMessage[];
  /** What was said before. Left out: the messages before the prompt. */
  history?: { role: string; content: unknown }[];
  /** Fields of the input besides `prompt` and `messages`. */
  fields: Record<string, unknown>;
  state_snapshot?: string;
};

/** Starts the run of one turn of a conversation, and listens to it. The caller closes the tail. */
export async function startTurn(
  deps: AcceptDeps & { hub: Pick<TailHub, "open"> },
  { messages: sent, fields, agent_id, version, ...turn }: Turn,
  origin: Origin,
): Promise<FollowedRun> {
  const messages = sent.map((message) => ({ ...message, content: plainContent(message.content) }));
  const found = await deps.versions.resolve(agent_id, version, origin.owner);
  if ("missing" in found) throw notFound(found.missing, found.missing === "agent" ? agent_id : version);
  const { input_schema } = readConfig(found.config);
  const input_payload = chatInput(input_schema, { prompt: promptOf(messages), messages, ...fields });
  const request = readExecuteRequest({ history: historyOf(messages), ...turn, agent_id, version, input_payload });
  return acceptAndFollow(deps, request, origin);
}

/** Returns the messages before the prompt. Without any the run gets the history of its thread. */
function historyOf(messages: readonly ChatMessage[]): { role: string; content: unknown }[] {
  const prompt = messages.findLastIndex(({ role }) => role === "user");
  return messages
    .slice(0, Math.max(0, prompt))
    .slice(-requestLimits.history_items)
    .map(({ role, content }) => ({ role, content }));
}
