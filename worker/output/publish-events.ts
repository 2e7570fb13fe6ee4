import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";

export type Publisher = {
  /** Adds events to the next batch. */
  add(events: StreamEvent[]): void;
  /** Resolves when the added events are in Redis, or were dropped because Redis is away. */
  settled(): Promise<void>;
  /** Characters that wait to be sent. */
  backlog(): number;
};

/** `run.started` waits this long for the first output, which a warm run sends sooner: both then go in one batch. */
const startedDelayMs = 2;

/** Redis counts as away after this time. A cut connection is reopened sooner: that is tried at least each second. */
const awayAfterMs = 1_500;
const pauseMs = 50;

/**
 * Sends a run's events to its stream, one batch at a time. Events that come while a batch is under way make the next batch.
 * A batch that fails is sent again before later events, so that a cut connection alone leaves no gap in the stream.
 * While Redis is away, batches are dropped: the transcript has their events, and readers fill the gap from there.
 * `onFenced` is called when Redis holds a later attempt.
 */
export function createPublisher(streams: RunStreams, runId: string, onFenced: () => void): Publisher {
  let waiting: StreamEvent[] = [];
  let waitingLength = 0;
  let sending: Promise<void> | null = null;
  let delayed: NodeJS.Timeout | undefined;
  let failedSince: number | null = null;

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const [batch, length] = [waiting, waitingLength];
      waiting = [];
      waitingLength = 0;
      try {
        if ((await streams.append(runId, batch)) === "fenced") onFenced();
        failedSince = null;
      } catch {
        failedSince ??= performance.now();
        if (performance.now() - failedSince > awayAfterMs) continue;
        waiting = [...batch, ...waiting];
        waitingLength += length;
        await sleep(pauseMs);
      }
    }
    sending = null;
  }

  function begin(): void {
    sending ??= send();
  }

  return {
    add(events) {
      for (const event of events) waitingLength += event.data.length;
      waiting.push(...events);
      clearTimeout(delayed);
      if (events.every(({ type }) => type === "run.started")) delayed = setTimeout(begin, startedDelayMs);
      else begin();
    },
    settled: async () => {
      clearTimeout(delayed);
      begin();
      while (sending) await sending;
    },
    backlog: () => waitingLength,
  };
}
