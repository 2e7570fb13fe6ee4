import { parseJsonText } from "../../../shared/domain/json/parse-json-text.ts";
import type { OpenInterrupt } from "../../../shared/schemas/run-event.ts";

/** A question as LangGraph shows it, with our own fields beside its `value`. */
export function toInterrupt({ id, message, reason, response_schema, expires_at }: OpenInterrupt) {
  return { id, value: valueOf(message) ?? reason, reason, response_schema, expires_at };
}

/** Returns what the agent asked: an interrupt stores an object as JSON text. */
function valueOf(message: string | null): unknown {
  const value = message !== null && /^[[{]/.test(message) ? parseJsonText(message) : undefined;
  return value ?? message;
}
