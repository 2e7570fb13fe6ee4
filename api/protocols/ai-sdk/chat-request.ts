import { z } from "zod";
import { clientId, text } from "../../../shared/schemas/primitives.ts";
import { type ChatMessage, textOf } from "../chat-input.ts";

const part = z.looseObject({ type: text({ min: 1, max: 256 }) });
const message = z.looseObject({
  id: text({ max: 512 }).optional(),
  role: text({ min: 1, max: 64 }),
  parts: z.array(part).max(10_000),
});
type Message = z.infer<typeof message>;

/** What the AI SDK's transport sends. Fields that are not read here reach the agent as `params`. */
export const chatRequest = z
  .looseObject({
    id: clientId().meta({ description: "The chat, which is the thread." }),
    messages: z.array(message).min(1).max(10_000),
    trigger: text({ max: 64 }).optional(),
    messageId: text({ max: 512 }).nullish(),
  })
  .meta({
    id: "AiSdkChatRequest",
    example: { id: "chat-1", messages: [{ id: "m-1", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
  });
export type ChatRequest = z.infer<typeof chatRequest>;

/** Returns a message as an agent gets it. Parts that are more than text are kept. */
export function toMessage({ id, role, parts }: Message): ChatMessage {
  const texts = parts.filter(({ type }) => type === "text");
  const isPlain = parts.every(({ type }) => type === "text" || type === "step-start");
  return { id, role, content: textOf(texts), ...(isPlain ? {} : { parts }) };
}

/** An answer to a question: what the library's own calls have put into the question's part. */
export type GivenAnswer = {
  interrupt_id: string;
  answer: { approved: boolean; reason?: string } | { output: unknown } | { error: string };
};

const answered = z.union([
  z
    .looseObject({
      state: z.literal("approval-responded"),
      approval: z.looseObject({ id: z.string(), approved: z.boolean(), reason: z.string().optional() }),
    })
    .transform(({ approval: { id, approved, reason } }) => ({
      interrupt_id: id,
      answer: { approved, ...(reason === undefined ? {} : { reason }) },
    })),
  z
    .looseObject({ state: z.literal("output-available"), toolCallId: z.string(), output: z.unknown().optional() })
    .transform(({ toolCallId, output }) => ({ interrupt_id: toolCallId, answer: { output } })),
  // The agent's own tools fail, too: only a question's part is an answer.
  z
    .looseObject({ state: z.literal("output-error"), toolCallId: z.string().startsWith("int_"), errorText: z.string() })
    .transform(({ toolCallId, errorText }) => ({ interrupt_id: toolCallId, answer: { error: errorText } })),
]);

/** Returns the answers in the last message. None: the last message is the user's. */
export function answersIn({ messages }: ChatRequest): GivenAnswer[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [];
  return last.parts.flatMap((given) => {
    const parsed = answered.safeParse(given);
    return parsed.success ? [parsed.data] : [];
  });
}

/** Returns an answer as the question's schema asks for it. An approval is a yes or a no, with a reason; an error is a no, or its text. */
export function responseOf({ answer }: GivenAnswer, schema: Record<string, unknown> | null): unknown {
  if ("output" in answer) return answer.output;
  const type = schema?.["type"];
  if ("error" in answer) {
    if (type === "boolean") return false;
    return type === "string" ? answer.error : answer;
  }
  if (type === "boolean") return answer.approved;
  if (type === "string") return answer.reason ?? (answer.approved ? "yes" : "no");
  return answer;
}
