import type { EventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { type FollowDeps, followRun } from "./follow-run.ts";
import type { Tail } from "./tail.ts";

type Start = {
  cursor: EventId;
  /** True when the run was made after the tail began to listen. */
  fresh: boolean;
};

/**
 * Yields a run's events after the cursor in batches, at the reader's pace. Ends with the run's terminal event, when the run waits
 * for an answer, and when the tail ends. Closes the tail. Throws when the stores can't be read.
 */
export async function* followEvents(
  deps: FollowDeps,
  tail: Tail,
  { cursor, fresh }: Start,
): AsyncGenerator<StreamEvent[], void, undefined> {
  const batches: StreamEvent[][] = [];
  const ended: { error?: unknown; isOver: boolean } = { isOver: false };
  let wake: () => void = () => undefined;
  let goOn: () => void = () => undefined;
  const reader = {
    take(events: StreamEvent[]): Promise<void> {
      batches.push(events);
      wake();
      return new Promise((resolve) => (goOn = resolve));
    },
    end(events: StreamEvent[]): void {
      if (events.length > 0) batches.push(events);
      ended.isOver = true;
      wake();
    },
    fail(error: unknown): void {
      Object.assign(ended, { error, isOver: true });
      wake();
    },
  };
  try {
    followRun(deps, tail.runId, tail, { cursor, fresh, reader });
    while (batches.length > 0 || !ended.isOver) {
      const batch = batches.shift();
      if (batch) yield batch;
      else await new Promise<void>((resolve) => (wake = resolve));
      if (batches.length === 0) goOn();
    }
    if ("error" in ended) throw ended.error;
  } finally {
    tail.close();
    goOn();
  }
}
