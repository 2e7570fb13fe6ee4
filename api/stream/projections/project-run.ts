import { compareEventIds, type EventId, formatEventId } from "../../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../../shared/domain/run/run-status.ts";
import type { RunEvent, StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { Projection } from "./projection.ts";

/** A run's stream in another format. It must be given all events, from the first one on. */
export type ProjectedRun = {
  /** Returns the text for these events, which is often empty. Events up to the cursor give no text. */
  push(events: StreamEvent[]): string;
  /** Returns the text that closes the stream. `isLeaving`: this process is shutting down. Null: the stream has to break off. */
  end(isLeaving: boolean): string | null;
};

export function projectRun(projection: Projection, cursor: EventId): ProjectedRun {
  const machine = projection.start();
  let last: StreamEvent | null = null;
  const project = (event: StreamEvent): string => {
    last = event;
    // Our own event, which was checked when it was written.
    const messages = machine.push(JSON.parse(event.data) as RunEvent);
    if (compareEventIds(event, cursor) <= 0) return "";
    return projection.plain ? messages.join("") : withId(messages, event);
  };
  return {
    push: (events) => events.map(project).join(""),
    end(isLeaving) {
      const isAsked = last?.type === "run.interrupted" && !(isLeaving && compareEventIds(last, cursor) <= 0);
      const isOver = last !== null && (isTerminalEvent(last.type) || isAsked);
      if (isOver) return machine.end().join("");
      // Otherwise the stream was cut and can be resumed.
      if (projection.breaksOff) return null;
      return isLeaving ? (machine.leave?.() ?? []).join("") : "";
    },
  };
}

/** Puts the id on an event's last message. A reader that was disconnected before it gets all messages of the event again. */
function withId(messages: string[], event: EventId): string {
  const last = messages.at(-1);
  return last === undefined ? "" : `${messages.slice(0, -1).join("")}id: ${formatEventId(event)}\n${last}`;
}
