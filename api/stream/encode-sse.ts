import { formatEventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";

/** An event as a Server-Sent Events message (WHATWG HTML 9.2). `data` is JSON text, so it holds no line break. */
export function encodeSse(event: StreamEvent): string {
  return `id: ${formatEventId(event)}\nevent: ${event.type}\ndata: ${event.data}\n\n`;
}

/** A message of another format: JSON, which holds no line break, with no id as yet. */
export const encodeMessage = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Asks the client to wait this long before it connects again. */
export const encodeRetry = (milliseconds: number): string => `retry: ${milliseconds}\n\n`;

/** A comment: keeps the connection alive through proxies, and is no event. */
export const ssePing = ": ping\n\n";

/** The same without the blank line, which LangGraph's client takes for a message. */
export const sseComment = ": ping\n";
