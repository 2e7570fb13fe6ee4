import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../shared/log.ts";
import { placeEvent } from "../../shared/run/stream-event.ts";
import type { RunEventBody, StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { appendTranscript } from "../../shared/store/runs/append-transcript.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import type { RunStreams } from "../../shared/stream/run-streams.ts";
import { createPublisher } from "./publish-events.ts";

export type RunOutput = {
  /** Numbers and sends one event. Resolves at once, unless more waits to be sent than a run may hold in memory. Nothing after the end. */
  push(body: RunEventBody): Promise<void>;
  /** Ends the writing behind and gives what the transcript lacks, with `last`, if any, as its last event. */
  finish(last: RunEventBody | null): Promise<StreamEvent[]>;
  /** Sends events that the transcript has by now: the terminal one comes to the stream after its commit. */
  announce(events: StreamEvent[]): Promise<void>;
  close(): void;
};

/** How long a running attempt's events may be in Redis only, and how many characters of them. */
const transcriptDelayMs = 1_000;
const transcriptBatch = 256 * 1024;
const maxBacklog = 1024 * 1024;

type Deps = { db: Db; streams: RunStreams; log: Log };

/**
 * The single writer of one attempt's events: gives each the next seq, streams it at once, and writes it to the transcript
 * a little later (with the run's end, for a short run). `onFenced` is called when either refuses this attempt.
 */
export function openRunOutput(deps: Deps, run: HeldRun, onFenced: () => void): RunOutput {
  const publisher = createPublisher(deps.streams, run.id, onFenced);
  let seq = 0;
  let finished = false;
  /** What the agent last said it was at. */
  let currentStatus: string | null = null;
  let unsaved: StreamEvent[] = [];
  let unsavedLength = 0;
  /** Being written, or of unknown fate since the connection broke; it is repeated as it stands. */
  let batch: StreamEvent[] = [];
  let saving: Promise<void> | null = null;
  const timer = setInterval(() => void save(), transcriptDelayMs);

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
      if (!(await appendTranscript(deps.db, run.id, batch, currentStatus))) onFenced();
      batch = [];
    } catch (error) {
      deps.log.warn({ run_id: run.id, err: String(error) }, "the transcript could not be written yet");
    }
  }

  function place(body: RunEventBody): StreamEvent {
    seq += 1;
    const event = placeEvent(run.id, { attempt: run.attempt, seq }, body, new Date());
    unsaved.push(event);
    unsavedLength += event.data.length;
    return event;
  }

  return {
    async push(body) {
      if (finished) return;
      if (body.type === "progress") currentStatus = body.message ?? currentStatus;
      publisher.add([place(body)]);
      if (unsavedLength > transcriptBatch) void save();
      if (publisher.backlog() > maxBacklog) await publisher.settled();
    },
    async finish(last) {
      clearInterval(timer);
      if (saving) await saving;
      // Of unknown fate: Postgres must say first, since a run's end may not repeat what the transcript has.
      while (batch.length > 0) {
        await sleep(200);
        await save();
      }
      finished = true;
      if (last) place(last);
      return unsaved;
    },
    async announce(events) {
      publisher.add(events);
      await publisher.settled();
    },
    close: () => clearInterval(timer),
  };
}
