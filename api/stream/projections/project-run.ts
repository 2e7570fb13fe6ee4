import { compareEventIds, type EventId, formatEventId } from "../../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../../shared/domain/run/run-status.ts";
import type { RunEvent, StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { Projection } from "./projection.ts";

/** What a projection says of a run, whose events it is given from the first one on. */
export type ProjectedRun = {
  /** What it says of these events; often "". Nothing of what is not behind the cursor. */
  push(events: StreamEvent[]): string;
  /** What closes the stream. */
  end(): string;
};

export function projectRun(projection: Projection, cursor: EventId): ProjectedRun {
  const machine = projection.start();
  let last: StreamEvent | null = null;
  const project = (event: StreamEvent): string => {
    last = event;
    // Placed by us, in one of our own shapes.
    const messages = machine.push(JSON.parse(event.data) as RunEvent);
    if (compareEventIds(event, cursor) <= 0) return "";
    return projection.plain ? messages.join("") : withId(messages, event);
  };
  return {
    push: (events) => events.map(project).join(""),
    end() {
      // Else it was cut, and can be resumed.
      const rests = last !== null && (isTerminalEvent(last.type) || last.type === "run.interrupted");
      return rests ? machine.end().join("") : "";
    },
  };
}

/** The id stands on an event's last message, so that a reader who was cut among them gets all of them again. */
function withId(messages: string[], event: EventId): string {
  const last = messages.at(-1);
  return last === undefined ? "" : `${messages.slice(0, -1).join("")}id: ${formatEventId(event)}\n${last}`;
}
