import { isTerminal } from "../../shared/run/run-status.ts";
import { compareEventIds, type EventId } from "../../shared/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunState } from "../../shared/store/runs/read-run-states.ts";

/** What a tail has for its reader: live events; `doubt`: it may have missed some, look at the stores; null: nothing yet. */
type Tidings = StreamEvent[] | "doubt" | null;

export type Tail = {
  /** Resolves when the channel is subscribed; late or never while Redis is away. */
  listening: Promise<void>;
  /** `cursor`: the last event that the reader has. */
  take(cursor: EventId): Tidings;
  /** Calls `wake` now, and whenever there may be tidings or the tail has ended. One reader a tail. */
  onTidings(wake: () => void): void;
  /** No more comes here. */
  ended(): boolean;
  /** Batches are shared by all readers of the run: nobody changes one. */
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

/** One reader's end of a run's channel. */
export function createTail(listening: Promise<void>, onClose: () => void): Tail {
  /** Events that wait for the reader; null is doubt: the stores know better. */
  let waiting: StreamEvent[] | null = [];
  let waitingLength = 0;
  let ended = false;
  let row: RunState | null = null;
  let wake = (): void => undefined;

  return {
    listening,
    take(cursor) {
      const events = waiting;
      waiting = [];
      waitingLength = 0;
      if (events !== null && events.length > 0) return events;
      const doubt = events === null || isBehind(cursor, row);
      row = null;
      return doubt ? "doubt" : null;
    },
    onTidings(reader) {
      wake = reader;
      wake();
    },
    ended: () => ended,
    deliver(events) {
      waitingLength = events.reduce((sum, event) => sum + event.data.length, waitingLength);
      if (waitingLength > maxWaitingLength) waiting = null;
      else if (waiting) waiting = waiting.length === 0 ? events : [...waiting, ...events];
      wake();
    },
    seeRow(state) {
      row = state;
      wake();
    },
    doubt() {
      waiting = null;
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    close() {
      ended = true;
      onClose();
      wake();
    },
  };
}
