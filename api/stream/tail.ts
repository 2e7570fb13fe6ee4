import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { compareEventIds, type EventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunState } from "../../shared/store/runs/read-run-states.ts";

/**
 * What a tail has for its reader: live events; `resync`: the tail may have missed some, so the reader reads the stores;
 * `over`: the run ended before the event that the reader named; null: nothing yet.
 */
type TailUpdate = StreamEvent[] | "resync" | "over" | null;

/** A reader that lags by more than this reads the stores instead, at its own pace: that is what bounds its memory. */
const maxWaitingLength = 256 * 1024;

/** What Postgres knows of more than the reader has. */
function judgeRow(cursor: EventId, row: RunState | null): "resync" | "over" | null {
  if (!row) return null;
  if (compareEventIds(row.last, cursor) > 0) return "resync";
  return isTerminal(row.status) ? "over" : null;
}

/** One reader's end of a run's channel. A class, since there are thousands, each of which would have closures of its own. */
export class Tail {
  readonly runId: string;
  /** Resolves when the channel is subscribed; late or never while Redis is away. */
  readonly listening: Promise<void>;
  readonly #onClose: (tail: Tail) => void;
  /** Events that wait for the reader; null: some may be missing, and the reader must read the stores. */
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

  /** No more comes here. */
  get ended(): boolean {
    return this.#ended;
  }

  /** `cursor`: the last event that the reader has. */
  take(cursor: EventId): TailUpdate {
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    if (events !== null && events.length > 0) return events;
    const judged = judgeRow(cursor, this.#row);
    this.#row = null;
    return judged ?? (events === null ? "resync" : null);
  }

  /** Calls `wake` now, and whenever there may be an update or the tail has ended. A tail has one reader. */
  onUpdate(wake: () => void): void {
    this.#wake = wake;
    wake();
  }

  /** Batches are shared by all readers of the run: nobody changes one. */
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
