import { isTerminal } from "../../shared/run/run-status.ts";
import { compareEventIds, type EventId } from "../../shared/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunState } from "../../shared/store/runs/read-run-states.ts";

/** What a tail has for its reader: live events; `doubt`: it may have missed some, look at the stores; `end`: no more here. */
export type Tidings = { kind: "events"; events: StreamEvent[] } | { kind: "doubt" } | { kind: "end" };

export type Tail = {
  /** Resolves when the channel is subscribed; late or never while Redis is away. */
  listening: Promise<void>;
  /** Waits for tidings. One waiter at a time. `cursor`: the last event that the reader has. */
  next(cursor: EventId): Promise<Tidings>;
  deliver(events: StreamEvent[]): void;
  seeRow(state: RunState): void;
  doubt(): void;
  end(): void;
  close(): void;
};

/** A reader that lags by more than this reads the stores instead, at its own pace: that is what bounds its memory. */
const maxWaitingLength = 256 * 1024;

/** Whether Postgres knows of more than the reader has. */
function isBehind(cursor: EventId, row: RunState | null): boolean {
  if (!row) return false;
  return compareEventIds(row.last, cursor) > 0 || isTerminal(row.status);
}

/** Events that wait for their reader; null when it lags by more than it may. */
type Waiting = { events: StreamEvent[]; length: number } | null;

function add(waiting: Waiting, events: StreamEvent[]): Waiting {
  if (!waiting) return null;
  const length = events.reduce((sum, event) => sum + event.data.length, waiting.length);
  if (length > maxWaitingLength) return null;
  waiting.events.push(...events);
  return { events: waiting.events, length };
}

const nothing = (): Waiting => ({ events: [], length: 0 });

/** One reader's end of a run's channel. */
export function createTail(listening: Promise<void>, onClose: () => void): Tail {
  /** Null is doubt: the stores know better. */
  let waiting = nothing();
  let ended = false;
  let row: RunState | null = null;
  let wake: (() => void) | null = null;

  function rouse(): void {
    wake?.();
    wake = null;
  }
  function take(cursor: EventId): Tidings | null {
    if (ended) return { kind: "end" };
    const events = waiting?.events ?? [];
    const doubt = waiting === null || (events.length === 0 && isBehind(cursor, row));
    if (!doubt && events.length === 0) return null;
    waiting = nothing();
    if (!doubt) return { kind: "events", events };
    row = null;
    return { kind: "doubt" };
  }

  return {
    listening,
    async next(cursor) {
      for (;;) {
        const tidings = take(cursor);
        if (tidings) return tidings;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    deliver(events) {
      waiting = add(waiting, events);
      rouse();
    },
    seeRow(state) {
      row = state;
      rouse();
    },
    doubt() {
      waiting = null;
      rouse();
    },
    end() {
      ended = true;
      rouse();
    },
    close() {
      ended = true;
      onClose();
      rouse();
    },
  };
}
