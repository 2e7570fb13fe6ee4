import { beforeFirst, compareEventIds, type EventId } from "../../shared/domain/run/event-id.ts";
import type { RunEvent, StreamEvent } from "../../shared/schemas/run-event.ts";
import { type FollowDeps, followRun } from "../stream/follow-run.ts";
import type { FollowedRun } from "../stream/respond-run.ts";
import { onceAborted } from "../../shared/platform/lifecycle/once-aborted.ts";

type Take = (event: RunEvent) => void;

/** Our own event, which was checked when it was written. */
const parse = (event: StreamEvent): RunEvent => JSON.parse(event.data) as RunEvent;

const ends = /^run\.(?:interrupted|success|error|timeout|cancelled|expired)$/;

/**
 * Gives all events of a run to `take`, from the first one on, until the run has ended or waits for an answer. Closes the tail.
 * Returns false when they are not all: the client is gone, or this process shuts down or reaches no store.
 */
export async function collectRun(
  deps: FollowDeps,
  { run_id, tail, queued, cursor }: FollowedRun,
  take: Take,
  untilGone: AbortSignal,
): Promise<boolean> {
  onceAborted(untilGone, () => tail.close());
  let isOver = false;
  const takeAll = (events: StreamEvent[]): void => {
    for (const event of events) take(parse(event));
    const last = events.at(-1);
    // Before the cursor stands the question that was answered.
    if (last) isOver = ends.test(last.type) && compareEventIds(last, cursor) > 0;
  };
  if (queued) takeAll([queued]);
  await new Promise<void>((resolve, reject) => {
    const reader = {
      take(events: StreamEvent[]) {
        takeAll(events);
        return undefined;
      },
      end(events: StreamEvent[]) {
        takeAll(events);
        resolve();
      },
      fail: reject,
    };
    followRun(deps, run_id, tail, { cursor: queued ?? beforeFirst, fresh: queued !== null, reader });
  });
  return isOver;
}

/** Gives the stored events of a run to `take`, from the first one on. */
export async function readRunEvents({ hub }: Pick<FollowDeps, "hub">, runId: string, take: Take): Promise<void> {
  let cursor: EventId = beforeFirst;
  for (;;) {
    const { events } = await hub.backfill(runId, cursor);
    const last = events.at(-1);
    if (!last) return;
    for (const event of events) take(parse(event));
    cursor = { attempt: last.attempt, seq: last.seq };
  }
}
