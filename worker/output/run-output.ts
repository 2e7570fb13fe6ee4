import type { Log } from "../../shared/platform/log.ts";
import { placeEvent } from "../../shared/domain/run/stream-event.ts";
import type { RunEventBody, StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import { createPublisher, isUnhurried } from "./publish-events.ts";
import { createSalvage, type OutputRun } from "./salvage-earlier.ts";
import { createStreamTrimmer } from "./trim-stream.ts";
import type { OutputVolume } from "./share-event-loop.ts";
import { openWriteBehind } from "./write-behind.ts";

export type RunOutput = {
  /** Numbers and sends one event. Resolves at once, unless too many characters wait to be sent. */
  push(body: RunEventBody): Promise<void>;
  /**
   * Stops writing to the transcript. Returns the events that the transcript lacks, followed by `last`, if there is one. Later
   * pushes are ignored.
   */
  finish(last: RunEventBody | null): Promise<StreamEvent[]>;
  /** Notes that the transcript has what `finish` gave: it isn't given again. */
  kept(): void;
  /** Sends events to the stream that are in the transcript already: the terminal event is sent after its commit. */
  announce(events: StreamEvent[]): Promise<void>;
  /** Resolves when the transcript holds all events so far, or this attempt may not write any more. */
  save(): Promise<void>;
  /** Returns for how many ms the oldest event has waited to be in the transcript. */
  lagMs(): number;
  /** Returns in how many pieces the transcript holds what was pushed so far. */
  pieces(): number;
  /** Returns how much was pushed so far. */
  sent(): OutputVolume;
  close(): void;
};

/** Characters that may wait to be sent, or to be written, before `push` waits. */
const maxBacklog = 256 * 1024;

type Deps = { db: Db; streams: RunStreams; log: Log };

/**
 * The single writer of one attempt's events. It gives each event the next seq, sends it to the stream at once, and writes it
 * to the transcript within a second; a short run's events are written with its end. Before the first of them the transcript gets
 * what earlier attempts left in Redis alone: a reader of the transcript goes on from one attempt to the next. `onFenced` is called when the stream or
 * the transcript refuses this attempt.
 */
export function openRunOutput(deps: Deps, run: OutputRun, onFenced: () => void): RunOutput {
  const publisher = createPublisher(deps.streams, run.id, onFenced);
  const salvage = createSalvage(deps, run, () => publisher.settled());
  const trim = createStreamTrimmer(deps.streams, run.id, salvage);
  let pieces = 0;
  const onStored = (batch: readonly StreamEvent[]): void => {
    pieces += 1;
    trim(batch);
  };
  const transcript = openWriteBehind(deps, run.id, { onFenced, onWrite: salvage, onStored });
  let seq = 0;
  let length = 0;
  let hurried = 0;
  let finished = false;
  /** Last events. There are two when the run was cancelled just before it could be put aside. */
  const ending: StreamEvent[] = [];

  function numberEvent(body: RunEventBody): StreamEvent {
    seq += 1;
    return placeEvent(run.id, { attempt: run.attempt, seq }, body, new Date());
  }

  return {
    async push(body) {
      if (finished) return;
      const event = numberEvent(body);
      length += event.data.length;
      if (!isUnhurried(event)) hurried += 1;
      publisher.add([event]);
      if (body.type === "progress" && body.message !== null) transcript.setStatus(body.message);
      transcript.add(event);
      if (publisher.backlog() > maxBacklog) await publisher.settled();
      if (transcript.backlog() > maxBacklog) await transcript.flush();
    },
    async finish(last) {
      finished = true;
      await salvage();
      const rest = await transcript.finish();
      if (last) ending.push(numberEvent(last));
      return [...rest, ...ending];
    },
    kept() {
      transcript.clear();
      ending.length = 0;
    },
    async announce(events) {
      publisher.add(events);
      await publisher.settled();
      // An attempt that had sent nothing before is fenced only now.
      await salvage();
    },
    save: () => transcript.flush(),
    lagMs: () => transcript.lagMs(),
    pieces: () => pieces,
    sent: () => ({ events: seq, hurried, length }),
    close: () => transcript.close(),
  };
}
