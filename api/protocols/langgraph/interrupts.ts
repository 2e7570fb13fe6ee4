import { deeperThan } from "../../../shared/domain/json/measure-json.ts";
import { requestLimits } from "../../../shared/domain/run/request-limits.ts";
import type { OpenInterrupt } from "../../../shared/schemas/run-event.ts";

/** A question as LangGraph shows it, with our own fields beside its `value`. */
export function toInterrupt({ id, message, reason, response_schema, expires_at }: OpenInterrupt) {
  return { id, value: valueOf(message) ?? reason, reason, response_schema, expires_at };
}

/** Returns what the agent asked: an interrupt stores an object as JSON text. */
function valueOf(message: string | null): unknown {
  if (message === null || !/^[[{]/.test(message) || deeperThan(message, requestLimits.json_depth)) return message;
  try {
    return JSON.parse(message);
  } catch {
    return message;
  }
}
