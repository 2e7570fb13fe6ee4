import { randomUUID } from "node:crypto";
import { type AgentSubscriber, HttpAgent, type Message } from "@ag-ui/client";
import { lossyFetch } from "../lossy-fetch.ts";
import type { Heard, ProtocolClient } from "../protocol-client.ts";

/** AG-UI's HttpAgent, which checks the order of the events itself. */
export const agUi: ProtocolClient = {
  protocol: "AG-UI",
  refusals: {
    unknownAgent: { status: 404, message: "HTTP 404: No agent with the id 'nobody'." },
    wrongKey: { status: 401 },
    fullQueue: { status: 429 },
  },
  connect({ url, agent: id, key, fetch }) {
    const agentOver = (over: typeof fetch) =>
      new HttpAgent({
        url: `${url}/ag-ui/${id}`,
        headers: { authorization: `Bearer ${key}` },
        fetch: (to, init) => over(to, init),
      });
    const agent = agentOver(fetch);
    const ask = (content: string) => agent.addMessage({ id: randomUUID(), role: "user", content });
    async function run(parameters: Parameters<HttpAgent["runAgent"]>[0], subscriber?: AgentSubscriber) {
      const { newMessages } = await agent.runAgent(parameters, subscriber);
      return heardIn(newMessages, agent.pendingInterrupts[0]?.message ?? null);
    }
    return {
      say(prompt) {
        ask(prompt);
        return run({});
      },
      answer(payload) {
        const resume = agent.pendingInterrupts.map(({ id: interruptId }) => ({
          interruptId,
          status: "resolved" as const,
          payload,
        }));
        return run({ resume });
      },
      async sayOverCuts(prompt) {
        // A lost connection rejects a second promise of this library, which nobody can catch. The server sees the same when it ends.
        const agent = agentOver(lossyFetch(fetch, (stream) => stream * 10, { ends: true }));
        agent.addMessage({ id: randomUUID(), role: "user", content: prompt });
        const runId = randomUUID();
        let isOver = false;
        const onRunFinishedEvent = () => void (isOver = true);
        for (let cuts = 0; ; cuts += 1) {
          await agent.runAgent({ runId }, { onRunFinishedEvent });
          if (!isOver) continue;
          const said = agent.messages.slice(agent.messages.findLastIndex(({ role }) => role === "user") + 1);
          return { ...heardIn(said, null), cuts };
        }
      },
      async stop(prompt) {
        ask(prompt);
        await agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() });
      },
    };
  },
};

function heardIn(messages: readonly Message[], question: string | null): Heard {
  const text = messages.flatMap((message) => (message.role === "assistant" ? [message.content ?? ""] : [])).join("");
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const results = messages.flatMap((message) => (message.role === "tool" ? [message] : []));
  const tools = calls.map(({ id, function: { name } }) => ({
    name,
    result: JSON.parse(contentOf(results.find(({ toolCallId }) => toolCallId === id))) as unknown,
  }));
  return { text, tools, question };
}

const contentOf = (message: Message | undefined): string =>
  typeof message?.content === "string" ? message.content : "null";
