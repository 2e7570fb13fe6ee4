/** A message as it is stored. `said`: the text that the agent output, where the result is something else. */
export type StoredMessage = { role: string; content: unknown; said: string | null };

/** Returns the text of a message: what its agent said. The result of an agent that returns nothing is that text. Null: no text. */
export function messageText({ role, content, said }: StoredMessage): string | null {
  if (said !== null || role !== "assistant") return said;
  const output = typeof content === "object" && content !== null && "output" in content ? content.output : null;
  const parts: unknown[] = Array.isArray(output) ? output : [output];
  return parts.filter((part) => typeof part === "string").join("") || null;
}

/** Returns the message as the next run's history has it. A person's message has no text besides its content. */
export function historyItem(message: StoredMessage): { role: string; content: unknown; text?: string | null } {
  const { role, content } = message;
  return role === "assistant" ? { role, content, text: messageText(message) } : { role, content };
}
