import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../shared/platform/log.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { isDependencyFault } from "../../shared/store/is-dependency-fault.ts";
import { appendTranscript } from "../../shared/store/runs/transcript/append-transcript.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type WriteBehind = {
  /** Adds an event, which is written within a second. */
  add(event: StreamEvent): void;
  /** Sets the run's `current_status`, which is written with the next events. */
  setStatus(status: string): void;
  /** Resolves when the events so far are written, or Postgres refused the attempt. */
  flush(): Promise<void>;
  /** Characters that wait to be written. */
  backlog(): number;
  /** Returns for how many ms the oldest event has waited to be written. */
  lagMs(): number;
  /** Stops writing. Returns the events that were not written. */
  finish(): Promise<StreamEvent[]>;
  /** Forgets what `finish` returned. */
  clear(): void;
  close(): void;
};

/** At most this long, and at most this many characters, a running attempt's events are in Redis only. */
const delayMs = 1_000;
const batchLength = 256 * 1024;
const retryMs = 200;

/** Returns the ms until the next write. All runs of this process write at the same time, so that one statement serves all. */
const untilTick = (): number => delayMs - (performance.now() % delayMs);

type Deps = { db: Db; log: Log };

type WriteCallbacks = {
  /** Called when Postgres refuses the attempt. */
  onFenced: () => void;
  /** Called before each batch is written, which waits for it. */
  onWrite?: () => Promise<unknown>;
  /** Called with each batch that the transcript holds. */
  onStored?: (batch: readonly StreamEvent[]) => void;
};

/** Writes one attempt's events to the transcript in batches. */
export function openWriteBehind(
  { db, log }: Deps,
  runId: string,
  { onFenced, onWrite, onStored }: WriteCallbacks,
): WriteBehind {
  let unsaved: StreamEvent[] = [];
  let unsavedLength = 0;
  /** The batch that is being written. When the connection broke during the write, the same batch is written again. */
  let batch: StreamEvent[] = [];
  let savingLength = 0;
  let saving: Promise<void> | null = null;
  let currentStatus: string | null = null;
  /** How many events were added, and how many of them are written. */
  let added = 0;
  let written = 0;
  let isOver = false;
  /** When the first of `batch` and of `unsaved` was added, by performance.now(). */
  let batchSince = 0;
  let unsavedSince = 0;
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
      batchSince = unsavedSince;
      savingLength = unsavedLength;
      unsaved = [];
      unsavedLength = 0;
    }
    if (batch.length === 0) return;
    try {
      await onWrite?.();
      if (await appendTranscript(db, runId, batch, currentStatus)) onStored?.(batch);
      else onFenced();
      written += batch.length;
      batch = [];
      savingLength = 0;
    } catch (error) {
      if (!isDependencyFault(error)) return giveUp(error);
      log.warn({ run_id: runId, err: errorText(error) }, "a transcript could not be written; it is tried again");
    }
  }

  /** Postgres would refuse the batch again and again: the attempt can't go on. */
  function giveUp(error: unknown): void {
    log.error({ run_id: runId, err: errorText(error) }, "a transcript is refused");
    written += batch.length;
    batch = [];
    savingLength = 0;
    onFenced();
  }

  return {
    add(event) {
      if (unsaved.length === 0) unsavedSince = performance.now();
      unsaved.push(event);
      added += 1;
      unsavedLength += event.data.length;
      if (unsavedLength > batchLength) void save();
    },
    setStatus(status) {
      currentStatus = status;
    },
    async flush() {
      const upTo = added;
      while (written < upTo && !isOver) {
        await save();
        if (batch.length > 0) await sleep(retryMs);
      }
    },
    backlog: () => savingLength + unsavedLength,
    lagMs() {
      if (isOver || batch.length + unsaved.length === 0) return 0;
      return performance.now() - (batch.length > 0 ? batchSince : unsavedSince);
    },
    async finish() {
      isOver = true;
      clearTimeout(timer);
      if (saving) await saving;
      // This batch may be written already. Postgres must answer first: the run's end must not repeat events of the transcript.
      while (batch.length > 0) {
        await sleep(retryMs);
        await save();
      }
      return unsaved;
    },
    clear: () => void (unsaved = []),
    close: () => clearTimeout(timer),
  };
}
