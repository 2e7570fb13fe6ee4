/** A LangChain message as JSON. */
export type Message = { id: string; type: string; content: unknown; [field: string]: unknown };

export type ToolCall = { name: string; args: unknown; id: string; type: "tool_call" };

const extras = { additional_kwargs: {}, response_metadata: {} };

export const aiMessage = (id: string, content: string, tool_calls: readonly ToolCall[] = []): Message => ({
  ...extras,
  id,
  content,
  tool_calls,
  invalid_tool_calls: [],
  type: "ai",
});

type ToolEnd = { id: string; call_id: string; name: string; result: unknown; error: string | null };

export const toolMessage = ({ id, call_id, name, result, error }: ToolEnd): Message => ({
  ...extras,
  id,
  status: error === null ? "success" : "error",
  content: error ?? (typeof result === "string" ? result : JSON.stringify(result ?? null)),
  tool_call_id: call_id,
  name,
  type: "tool",
});

const types: Readonly<Record<string, string>> = {
  user: "human",
  human: "human",
  assistant: "ai",
  ai: "ai",
  developer: "system",
  system: "system",
  tool: "tool",
  function: "tool",
};

/**
 * Returns messages in LangChain's form. They may be texts, pairs of a role and a content, or objects with a `role` or a `type`. A
 * message without an id gets that of its place, so that the same messages have the same ids.
 */
export function toMessages(given: unknown, place: string): Message[] {
  const list: unknown[] = Array.isArray(given) ? given : [given];
  return list.flatMap((item, at) => toMessage(item, `${place}-${at + 1}`) ?? []);
}

function toMessage(item: unknown, id: string): Message | null {
  if (typeof item === "string") return { ...extras, id, content: item, type: "human" };
  if (Array.isArray(item)) return item.length === 2 ? toMessage({ role: item[0], content: item[1] }, id) : null;
  if (typeof item !== "object" || item === null) return null;
  const { role, ...fields } = item as Record<string, unknown>;
  const named = fields["type"] ?? role;
  const word = typeof named === "string" ? named : "human";
  return {
    ...extras,
    ...fields,
    id: typeof fields["id"] === "string" ? fields["id"] : id,
    content: fields["content"] ?? "",
    type: Object.hasOwn(types, word) ? (types[word] ?? word) : word,
  };
}

/** Adds messages as LangGraph does: one with a known id replaces the old one. */
export function mergeMessages(before: readonly Message[], added: readonly Message[]): Message[] {
  const merged = new Map(before.map((message) => [message.id, message]));
  for (const message of added) merged.set(message.id, message);
  return [...merged.values()];
}
