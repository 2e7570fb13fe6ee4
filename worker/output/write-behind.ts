import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../shared/platform/log.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { appendTranscript } from "../../shared/store/runs/append-transcript.ts";

export type WriteBehind = {
  /** Takes an event that is to be written within a second. */
  add(event: StreamEvent): void;
  /** What the run is at; it is written along with the next events. */
  setStatus(status: string): void;
  /** Ends the writing, and gives what was not written. */
  finish(): Promise<StreamEvent[]>;
  close(): void;
};

/** How long a running attempt's events may be in Redis only, and how many characters of them. */
const delayMs = 1_000;
const batchLength = 256 * 1024;

/** All runs of this process write at the same instants, so that one statement writes for all of them. */
const untilTick = (): number => delayMs - (performance.now() % delayMs);

type Deps = { db: Db; log: Log };

/** Writes one attempt's events to its transcript, a little behind. `onFenced` is called when Postgres refuses the attempt. */
export function openWriteBehind({ db, log }: Deps, runId: string, onFenced: () => void): WriteBehind {
  let unsaved: StreamEvent[] = [];
  let unsavedLength = 0;
  /** Being written, or of unknown fate since the connection broke; it is repeated as it stands. */
  let batch: StreamEvent[] = [];
  let saving: Promise<void> | null = null;
  let currentStatus: string | null = null;
  let timer = setTimeout(tick, untilTick());

  function tick(): void {
    void save();
    timer = setTimeout(tick, untilTick());
  }

  function save(): Promise<void> {
    saving ??= writeBatch().finally(() => {
      saving = null;
    });
    return saving;
  }

  async function writeBatch(): Promise<void> {
    if (batch.length === 0) {
      batch = unsaved;
      unsaved = [];
      unsavedLength = 0;
    }
    if (batch.length === 0) return;
    try {
      if (!(await appendTranscript(db, runId, batch, currentStatus))) onFenced();
      batch = [];
    } catch (error) {
      log.warn({ run_id: runId, err: String(error) }, "the transcript could not be written yet");
    }
  }

  return {
    add(event) {
      unsaved.push(event);
      unsavedLength += event.data.length;
      if (unsavedLength > batchLength) void save();
    },
    setStatus(status) {
      currentStatus = status;
    },
    async finish() {
      clearTimeout(timer);
      if (saving) await saving;
      // Of unknown fate: Postgres must say first, since a run's end may not repeat what the transcript has.
      while (batch.length > 0) {
        await sleep(200);
        await save();
      }
      return unsaved;
    },
    close: () => clearTimeout(timer),
  };
}
