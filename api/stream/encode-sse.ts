import { formatEventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";

/** Returns an event as a Server-Sent Events message (WHATWG HTML 9.2). `data` is JSON text, so it holds no line break. */
export function encodeSse(event: StreamEvent): string {
  return `id: ${formatEventId(event)}\nevent: ${event.type}\ndata: ${event.data}\n\n`;
}

/** Returns a message of another stream format, without an id. JSON text holds no line break. */
export const encodeMessage = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Tells the client how long to wait before it connects again. */
export const encodeRetry = (milliseconds: number): string => `retry: ${milliseconds}\n\n`;
