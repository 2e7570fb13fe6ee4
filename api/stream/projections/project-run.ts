import { compareEventIds, type EventId, formatEventId } from "../../../shared/run/event-id.ts";
import { isTerminalEvent } from "../../../shared/run/run-status.ts";
import type { RunEvent, StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { Projection } from "./projection.ts";

/**
 * A run's events in a projection's words: `first`, where it was made just now, then the `batches`, which begin with the
 * run. Nothing of what is not behind `cursor` is sent. Gives what closes the stream as its return.
 */
export async function* projectRun(
  projection: Projection,
  first: StreamEvent | null,
  batches: AsyncIterable<StreamEvent[]>,
  cursor: EventId,
): AsyncGenerator<string, string> {
  const machine = projection.start();
  let last = first;
  const project = (event: StreamEvent): string => {
    last = event;
    // Placed by us, in one of our own shapes.
    const messages = machine.push(JSON.parse(event.data) as RunEvent);
    if (compareEventIds(event, cursor) <= 0) return "";
    return projection.plain ? messages.join("") : withId(messages, event);
  };
  if (first) yield project(first);
  for await (const events of batches) {
    const text = events.map(project).join("");
    if (text !== "") yield text;
  }
  // Else it was cut, and can be resumed.
  const rests = last !== null && (isTerminalEvent(last.type) || last.type === "run.interrupted");
  return rests ? machine.end().join("") : "";
}

/** The id stands on an event's last message, so that a reader who was cut among them gets all of them again. */
function withId(messages: string[], event: EventId): string {
  const last = messages.at(-1);
  return last === undefined ? "" : `${messages.slice(0, -1).join("")}id: ${formatEventId(event)}\n${last}`;
}
