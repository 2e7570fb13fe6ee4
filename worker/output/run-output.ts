import type { Log } from "../../shared/platform/log.ts";
import { placeEvent } from "../../shared/domain/run/stream-event.ts";
import type { RunEventBody, StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import { createPublisher } from "./publish-events.ts";
import type { Sent } from "./share-loop.ts";
import { openWriteBehind } from "./write-behind.ts";

export type RunOutput = {
  /** Numbers and sends one event. Resolves at once, unless more waits to be sent than a run may hold in memory. */
  push(body: RunEventBody): Promise<void>;
  /** Ends the writing behind and gives what the transcript lacks, with `last`, if any, as its last event. Pushes are ignored from then on. */
  finish(last: RunEventBody | null): Promise<StreamEvent[]>;
  /** Sends events that the transcript has by now: the terminal one comes to the stream after its commit. */
  announce(events: StreamEvent[]): Promise<void>;
  /** Of what was pushed so far. */
  sent(): Sent;
  close(): void;
};

const maxBacklog = 1024 * 1024;

type Deps = { db: Db; streams: RunStreams; log: Log };

/**
 * The single writer of one attempt's events: gives each the next seq, streams it at once, and writes it to the transcript
 * a little later (with the run's end, for a short run). `onFenced` is called when either refuses this attempt.
 */
export function openRunOutput(deps: Deps, run: HeldRun, onFenced: () => void): RunOutput {
  const publisher = createPublisher(deps.streams, run.id, onFenced);
  const transcript = openWriteBehind(deps, run.id, onFenced);
  let seq = 0;
  let length = 0;
  let finished = false;
  /** Two, when the run was cancelled just as it was put aside. */
  const ending: StreamEvent[] = [];

  function place(body: RunEventBody): StreamEvent {
    seq += 1;
    return placeEvent(run.id, { attempt: run.attempt, seq }, body, new Date());
  }

  return {
    async push(body) {
      if (finished) return;
      const event = place(body);
      length += event.data.length;
      publisher.add([event]);
      if (body.type === "progress" && body.message !== null) transcript.setStatus(body.message);
      transcript.add(event);
      if (publisher.backlog() > maxBacklog) await publisher.settled();
    },
    async finish(last) {
      finished = true;
      const rest = await transcript.finish();
      if (last) ending.push(place(last));
      return [...rest, ...ending];
    },
    async announce(events) {
      publisher.add(events);
      await publisher.settled();
    },
    sent: () => ({ events: seq, length }),
    close: () => transcript.close(),
  };
}
