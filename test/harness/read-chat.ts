import { readUIMessageStream, type UIMessage } from "ai";

/** What a chat of the AI SDK hands to its transport. */
export const submission = {
  trigger: "submit-message" as const,
  chatId: "chat",
  messageId: undefined,
  messages: [],
  abortSignal: undefined,
};

/** Reads an answer with the AI SDK to its end. */
export async function readChat(stream: Parameters<typeof readUIMessageStream>[0]["stream"]) {
  let message: UIMessage | undefined;
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push(String(error));
  for await (const state of readUIMessageStream({ stream, onError })) message = state;
  const parts = message?.parts ?? [];
  return { message, errors, parts, texts: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) };
}
