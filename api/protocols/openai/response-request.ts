import { z } from "zod";
import { labelledMetadata } from "../../../shared/schemas/labels.ts";
import { clientId, laxBool, text } from "../../../shared/schemas/primitives.ts";
import type { ChatMessage } from "../chat-input.ts";

const item = z.looseObject({
  type: text({ max: 64 }).optional(),
  role: text({ min: 1, max: 64 }).optional(),
  call_id: text({ max: 512 }).optional(),
});

/** The body of POST /responses. Fields that are not read here reach the agent as `params`. */
export const responseRequest = z
  .looseObject({
    model: text({ min: 1, max: 256 }).meta({ description: "`agent`, `agent@tag` or `agent@1.2.0`" }),
    input: z.union([text(), z.array(item).max(10_000)]).default(""),
    instructions: text().nullish(),
    stream: laxBool().nullish(),
    stream_options: z.looseObject({}).nullish(),
    background: laxBool().nullish(),
    store: laxBool().nullish(),
    previous_response_id: text({ max: 512 }).nullish(),
    conversation: z.union([clientId(), z.looseObject({ id: clientId() })]).nullish(),
    user: text({ max: 512 }).nullish(),
    metadata: labelledMetadata().nullish(),
  })
  .meta({ id: "OpenAiResponseRequest", example: { model: "hello-agent", input: "Hi" } });
export type ResponseRequest = z.infer<typeof responseRequest>;

/** Returns the input as messages. An item that is none, such as a call's output, has its type as its role. */
export function messagesOf({ input, instructions }: ResponseRequest): ChatMessage[] {
  const said = typeof input === "string" ? [{ role: "user", content: input }] : input.map((given) => toMessage(given));
  return [...(instructions == null ? [] : [{ role: "system", content: instructions }]), ...said];
}

const toMessage = ({ type, role, content, ...rest }: z.infer<typeof item>): ChatMessage =>
  role === undefined ? { role: type ?? "item", content: content ?? null, ...rest } : { role, content, ...rest };

/** Returns the answer to a question that the input holds. Null: it holds none. */
export function answerIn({ input }: ResponseRequest): { call_id: string; output: unknown } | null {
  const last = typeof input === "string" ? undefined : input.at(-1);
  if (last?.type !== "function_call_output" || last.call_id === undefined) return null;
  return { call_id: last.call_id, output: last["output"] };
}
