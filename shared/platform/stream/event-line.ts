import { formatEventId, parseEventId } from "../../domain/run/event-id.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";

/** Returns an event's text in Redis; see README.md. */
export function formatEventLine(event: StreamEvent): string {
  return `${formatEventId(event)}\t${event.type}\t${event.data}`;
}

/** Returns null for a text that is no event. */
export function parseEventLine(line: string): StreamEvent | null {
  const first = line.indexOf("\t");
  const second = line.indexOf("\t", first + 1);
  if (first < 0 || second < 0) return null;
  const id = parseEventId(line.slice(0, first));
  return id && { ...id, type: line.slice(first + 1, second), data: line.slice(second + 1) };
}
