import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";

export type Publisher = {
  /** Takes events for the next batch. */
  add(events: StreamEvent[]): void;
  /** Resolves when what was added is in Redis, or Redis refused to have it. */
  settled(): Promise<void>;
  /** Characters that wait to be sent. */
  backlog(): number;
};

/** A warm run's first output comes sooner than this after its start: both go in one batch. */
const startedPatienceMs = 2;

/** A cut connection is back before that, which is tried each second at least; then Redis counts as away. */
const patienceMs = 1_500;
const pauseMs = 50;

/**
 * Sends a run's events to its stream, one batch at a time: what comes while a batch is under way makes the next one. A
 * batch that fails is sent again, before what came meanwhile: the stream has no hole for a cut alone.
 * When Redis is away the batch is dropped: the transcript has it, and readers fill the gap from there.
 * `onFenced` is called when Redis holds a later attempt.
 */
export function createPublisher(streams: RunStreams, runId: string, onFenced: () => void): Publisher {
  let waiting: StreamEvent[] = [];
  let waitingLength = 0;
  let sending: Promise<void> | null = null;
  let held: NodeJS.Timeout | undefined;
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
        if (performance.now() - failedSince > patienceMs) continue;
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
      clearTimeout(held);
      if (events.every(({ type }) => type === "run.started")) held = setTimeout(begin, startedPatienceMs);
      else begin();
    },
    settled: async () => {
      clearTimeout(held);
      begin();
      while (sending) await sending;
    },
    backlog: () => waitingLength,
  };
}
