import { z } from "zod";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { textOf } from "../chat-input.ts";
import { readOptions, responseParams } from "./get-response.ts";

export const listInputItems = defineOperation({
  method: "get",
  path: "/openai/v1/responses/{response_id}/input_items",
  name: "openai_list_input_items",
  area: "OpenAI",
  scope: "runs:read",
  ignores: "unknown_input",
  summary: "The messages that a response was made of",
  request: { params: responseParams },
  errors: ["run_not_found"],
  responses: { 200: { description: "All items", schema: z.unknown() } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { response_id }, caller }) {
    const { run_id, record } = await readOptions({ db }, response_id, caller.owner);
    const data = messagesIn(record.input_payload).map(({ role, content }, index) => ({
      id: `item_${run_id}_${index + 1}`,
      type: "message",
      role,
      status: "completed",
      content: typeof content === "string" ? [{ type: "input_text", text: textOf(content) }] : (content ?? []),
    }));
    const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { status: 200, body: { object: "list", data, has_more: false, ...ids } };
  },
});

const messages = z.object({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) });

/** Returns the messages of an input. An input that is no conversation has none. */
function messagesIn(input: unknown): { role: string; content: unknown }[] {
  const parsed = messages.safeParse(input);
  return parsed.success ? parsed.data.messages.map(({ role, content }) => ({ role, content })) : [];
}
