import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";

export type Publisher = {
  /** Adds events to the next batch. */
  add(events: StreamEvent[]): void;
  /**
   * Resolves when the events added so far are in Redis, or were dropped because Redis is away. Returns whether any event of the
   * attempt is there: Redis refuses those of earlier attempts then.
   */
  settled(): Promise<boolean>;
  /** Characters that wait to be sent. */
  backlog(): number;
};

/** Events that nobody waits for: they go with the events that follow. */
const unhurried: ReadonlySet<string> = new Set([
  "run.started",
  "step.start",
  "step.copied",
  "step.end",
  "call.start",
  "call.end",
  "usage",
]);
export const isUnhurried = ({ type }: Pick<StreamEvent, "type">): boolean => unhurried.has(type);

/** They wait this long for others: a warm run's first output comes sooner than that, also of a busy worker. */
const shortDelayMs = 10;
/** Batches of nothing else are sent this often at most: steps and calls that take no time make one batch of many. */
const spacingMs = 100;

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
  let isSending = false;
  let delayed: NodeJS.Timeout | null = null;
  let isHurried = false;
  let lastSentAt = -Infinity;
  let failedSince: number | null = null;
  /** How many events were added, and how many of them are sent or dropped. */
  let added = 0;
  let gone = 0;
  let hasSent = false;
  /** The batch that is under way. */
  let round = Promise.resolve();

  async function send(): Promise<void> {
    isSending = true;
    while (waiting.length > 0 && isHurried) {
      round = sendBatch();
      await round;
    }
    isSending = false;
    if (waiting.length > 0) delay();
  }

  async function sendBatch(): Promise<void> {
    const [batch, length] = [waiting, waitingLength];
    waiting = [];
    waitingLength = 0;
    isHurried = false;
    lastSentAt = performance.now();
    try {
      if ((await streams.append(runId, batch)) === "fenced") onFenced();
      failedSince = null;
      hasSent = true;
    } catch {
      failedSince ??= performance.now();
      if (performance.now() - failedSince <= awayAfterMs) {
        waiting = [...batch, ...waiting];
        waitingLength += length;
        isHurried = true;
        await sleep(pauseMs);
        return;
      }
    }
    gone += batch.length;
  }

  function begin(): void {
    if (delayed) clearTimeout(delayed);
    delayed = null;
    isHurried = true;
    if (!isSending) void send();
  }

  function delay(): void {
    delayed ??= setTimeout(begin, Math.max(shortDelayMs, lastSentAt + spacingMs - performance.now()));
  }

  return {
    add(events) {
      for (const event of events) waitingLength += event.data.length;
      waiting.push(...events);
      added += events.length;
      if (!events.every(isUnhurried)) begin();
      else if (!isSending) delay();
    },
    settled: async () => {
      const upTo = added;
      begin();
      while (gone < upTo) await round;
      return hasSent;
    },
    backlog: () => waitingLength,
  };
}
