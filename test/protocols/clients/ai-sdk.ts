import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  generateId,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { expect } from "vitest";
import { lossyFetch } from "../lossy-fetch.ts";
import type { Connection, Heard, ProtocolClient } from "../protocol-client.ts";

/** What `useChat` of React, Vue and Svelte is made of, with a plain object as its state. */
export class PlainChat extends AbstractChat<UIMessage> {
  constructor({ url, agent, key, fetch }: Connection, id = generateId(), messages: UIMessage[] = []) {
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (thing) => structuredClone(thing),
    };
    super({
      id,
      state,
      transport: new DefaultChatTransport({
        api: `${url}/ai-sdk/${agent}`,
        headers: { authorization: `Bearer ${key}` },
        fetch,
      }),
      sendAutomaticallyWhen: (options) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
        lastAssistantMessageIsCompleteWithToolCalls(options),
      onError: () => undefined,
    });
  }

  /** Resolves when the chat is at rest. Rejects with its error. */
  async settled(): Promise<void> {
    while (this.status === "submitted" || this.status === "streaming") await new Promise((done) => setTimeout(done, 5));
    if (this.error) throw this.error;
  }
}

/** The AI SDK's chat over its default transport. */
export const aiSdk: ProtocolClient = {
  protocol: "AI SDK",
  refusals: {
    unknownAgent: { message: "No agent with the id 'nobody'." },
    wrongKey: { message: "The key is unknown, revoked or expired. Send a valid key." },
    fullQueue: { message: expect.stringContaining("AGENT_QUEUE_LIMIT") as string },
  },
  connect(to) {
    const chat = new PlainChat(to);
    return {
      async say(text) {
        await chat.sendMessage({ text });
        await chat.settled();
        return heardIn(chat.lastMessage);
      },
      async answer(reason) {
        const before = heardIn(chat.lastMessage).text.length;
        await chat.addToolApprovalResponse({ id: questionIn(chat.lastMessage)?.id ?? "", approved: true, reason });
        await new Promise((done) => setTimeout(done, 5));
        await chat.settled();
        const { text, ...heard } = heardIn(chat.lastMessage);
        return { ...heard, text: text.slice(before) };
      },
      async sayOverCuts(text) {
        const lossy = new PlainChat({ ...to, fetch: lossyFetch(to.fetch, (stream) => stream * 10) });
        await lossy.sendMessage({ text });
        for (let cuts = 0; ; cuts += 1) {
          try {
            await lossy.settled();
            return { ...heardIn(lossy.lastMessage), cuts };
          } catch (error) {
            if (cuts > 20) throw error;
            await lossy.resumeStream();
          }
        }
      },
      async stop(text) {
        const sent = chat.sendMessage({ text });
        while (heardIn(chat.lastMessage).text === "") await new Promise((done) => setTimeout(done, 5));
        await chat.stop();
        await sent;
      },
    };
  },
};

/** What a person is asked, and the id that its answer names. */
export function questionIn(message: UIMessage | undefined): { id: string; message: string } | null {
  for (const part of message?.parts ?? []) {
    if (part.type !== "dynamic-tool" || part.state !== "approval-requested") continue;
    return { id: part.approval.id, message: (part.input as { message: string }).message };
  }
  return null;
}

function heardIn(message: UIMessage | undefined): Heard {
  const parts = message?.role === "assistant" ? message.parts : [];
  const used = parts.flatMap((part) => (part.type === "dynamic-tool" && !part.approval ? [part] : []));
  return {
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    tools: used.map(({ toolName: name, output: result }) => ({ name, result })),
    question: questionIn(message)?.message ?? null,
  };
}
