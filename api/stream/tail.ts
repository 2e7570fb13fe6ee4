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

/** One reader's end of a run's channel. */
export function createTail(listening: Promise<void>, onClose: () => void): Tail {
  let waiting: StreamEvent[] = [];
  let waitingLength = 0;
  let doubted = false;
  let ended = false;
  let row: RunState | null = null;
  let cursor: EventId | null = null;
  let wake: (() => void) | null = null;

  function rouse(): void {
    wake?.();
    wake = null;
  }
  /** Postgres knows of more than the reader has. */
  function isBehind(): boolean {
    if (!row || !cursor) return false;
    return compareEventIds(row.last, cursor) > 0 || isTerminal(row.status);
  }
  function take(): Tidings | null {
    if (ended) return { kind: "end" };
    if (waiting.length > 0 && !doubted) {
      const events = waiting;
      waiting = [];
      waitingLength = 0;
      return { kind: "events", events };
    }
    if (!doubted && !isBehind()) return null;
    doubted = false;
    row = null;
    waiting = [];
    waitingLength = 0;
    return { kind: "doubt" };
  }

  return {
    listening,
    async next(at) {
      cursor = at;
      for (;;) {
        const tidings = take();
        if (tidings) return tidings;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    deliver(events) {
      for (const event of events) {
        waiting.push(event);
        waitingLength += event.data.length;
      }
      if (waitingLength > maxWaitingLength) {
        waiting = [];
        waitingLength = 0;
        doubted = true;
      }
      rouse();
    },
    seeRow(state) {
      row = state;
      rouse();
    },
    doubt() {
      doubted = true;
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
