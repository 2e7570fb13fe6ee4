import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { compareEventIds, type EventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunState } from "../../shared/store/runs/read/read-run-states.ts";

/**
 * Live events, or: `resync`: the tail may have missed events, so the reader must read the stores; `over`: the run ended, and the
 * reader has all of its events; null: no news yet.
 */
type TailUpdate = StreamEvent[] | "resync" | "over" | null;

/** In characters. A reader that is further behind reads the stores instead, which bounds its memory. */
const maxWaitingLength = 256 * 1024;

/** Compares the run's row in Postgres with the reader's last event. */
function compareRow(cursor: EventId, row: RunState | null): "resync" | "over" | null {
  if (!row) return null;
  if (compareEventIds(row.last, cursor) > 0) return "resync";
  return isTerminal(row.status) ? "over" : null;
}

/** One reader's end of a run's channel. A class, because thousands of objects would each have closures of their own. */
export class Tail {
  readonly runId: string;
  /** Resolves when the channel is subscribed; late or never while Redis is away. */
  readonly listening: Promise<void>;
  readonly #onClose: (tail: Tail) => void;
  /** Events that the reader has not taken yet. Null: some may be missing, so the reader must read the stores. */
  #waiting: StreamEvent[] | null = [];
  #waitingLength = 0;
  #row: RunState | null = null;
  #ended = false;
  #wake: (() => void) | null = null;

  constructor(runId: string, listening: Promise<void>, onClose: (tail: Tail) => void) {
    this.runId = runId;
    this.listening = listening;
    this.#onClose = onClose;
  }

  /** True when no more events will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** `cursor`: the last event that the reader has. */
  take(cursor: EventId): TailUpdate {
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    if (events !== null && events.length > 0) return events;
    const update = compareRow(cursor, this.#row);
    this.#row = null;
    return update ?? (events === null ? "resync" : null);
  }

  /** Calls `wake` now, at each possible update, and when the tail ends. A tail has one reader. */
  onUpdate(wake: () => void): void {
    this.#wake = wake;
    wake();
  }

  /** All readers of a run share the array `events`; it must not be changed. */
  deliver(events: StreamEvent[]): void {
    this.#waitingLength = events.reduce((sum, event) => sum + event.data.length, this.#waitingLength);
    if (this.#waitingLength > maxWaitingLength) this.#waiting = null;
    else if (this.#waiting) this.#waiting = this.#waiting.length === 0 ? events : [...this.#waiting, ...events];
    this.#wake?.();
  }

  seeRow(state: RunState): void {
    this.#row = state;
    this.#wake?.();
  }

  resync(): void {
    this.#waiting = null;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  close(): void {
    this.#onClose(this);
    this.end();
  }
}
