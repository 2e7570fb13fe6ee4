import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunStreams } from "../../shared/stream/run-streams.ts";

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

/**
 * Sends a run's events to its stream, one batch at a time: what comes while a batch is under way makes the next one.
 * When Redis is out of reach the batch is dropped: the transcript has it, and readers fill the gap from there.
 * `onFenced` is called when Redis holds a later attempt.
 */
export function createPublisher(streams: RunStreams, runId: string, onFenced: () => void): Publisher {
  let waiting: StreamEvent[] = [];
  let waitingLength = 0;
  let sending: Promise<void> | null = null;
  let held: NodeJS.Timeout | undefined;

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      waitingLength = 0;
      try {
        if ((await streams.append(runId, batch)) === "fenced") onFenced();
      } catch {
        // Redis is away; see above.
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
