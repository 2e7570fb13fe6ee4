import { setTimeout as sleep } from "node:timers/promises";
import { beforeFirst, compareEventIds, type EventId } from "../../shared/domain/run/event-id.ts";
import { isTerminal, isTerminalEvent } from "../../shared/domain/run/run-status.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import { nextRunOfThread, type RunPlace, type ThreadView } from "../../shared/store/threads/next-run.ts";
import { followRun, type FollowDeps } from "./follow-run.ts";
import type { TailHub } from "./tail-hub.ts";

type Deps = FollowDeps & { hub: Pick<TailHub, "backfill" | "open"> };

/** Events of one run of a thread. */
export type ThreadEvents = { run_id: string; events: StreamEvent[] };

/** A thread's next run, and a resumed run's next event, are found at most this much later. */
const pollMs = 500;

/**
 * Yields the events of all runs of a thread, one run after the other, from a place on; each event once and in order. A run
 * that waits for an answer holds the runs behind it until it is answered or ends. Goes on until `until` is aborted.
 */
export async function* followThread(
  deps: Deps,
  view: ThreadView,
  start: { run: RunPlace | null; event: EventId },
  until: AbortSignal,
): AsyncGenerator<ThreadEvents> {
  if (start.run) yield* followWhole(deps, start.run.id, start.event, until);
  for (let last = start.run; !until.aborted;) {
    const next = await nextRunOfThread(deps.db, view, last);
    if (next && next.id !== last?.id) yield* followWhole(deps, next.id, beforeFirst, until);
    else await pause(until);
    last = next ?? last;
  }
}

/** Yields a run's events until its end, also beyond an interrupt. */
async function* followWhole(
  deps: Deps,
  run_id: string,
  start: EventId,
  until: AbortSignal,
): AsyncGenerator<ThreadEvents> {
  let hasEnded = false;
  for (let cursor = start; !until.aborted;) {
    for await (const events of eventsOf(deps, run_id, cursor, until)) {
      yield { run_id, events };
      const last = events.at(-1);
      if (last && isTerminalEvent(last.type)) return;
      if (last) cursor = { attempt: last.attempt, seq: last.seq };
    }
    const [state] = await readRunStates(deps.db, [run_id], null);
    // A run that ended after its events were read is read once more.
    if (!state || hasEnded || (isTerminal(state.status) && compareEventIds(state.last, cursor) <= 0)) return;
    hasEnded = isTerminal(state.status);
    if (!hasEnded) await pause(until);
  }
}

/** Yields a run's events in batches, each read when the one before was taken, until its stream ends. */
async function* eventsOf(
  deps: Deps,
  run_id: string,
  cursor: EventId,
  until: AbortSignal,
): AsyncGenerator<StreamEvent[]> {
  const tail = deps.hub.open(run_id);
  const close = (): void => tail.close();
  until.addEventListener("abort", close, { once: true });
  if (until.aborted) close();
  type Step = { events: StreamEvent[]; taken: () => void; over: boolean } | { error: unknown };
  const steps: Step[] = [];
  let wake = (): void => undefined;
  const push = (step: Step): void => {
    steps.push(step);
    wake();
  };
  followRun(deps, run_id, tail, {
    cursor,
    fresh: false,
    reader: {
      take: (events) => new Promise((taken) => push({ events, taken, over: false })),
      end: (events) => push({ events, taken: () => undefined, over: true }),
      fail: (error) => push({ error }),
    },
  });
  try {
    for (;;) {
      const step = steps.shift();
      if (!step) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      if ("error" in step) throw step.error;
      if (step.events.length > 0) yield step.events;
      step.taken();
      if (step.over) return;
    }
  } finally {
    until.removeEventListener("abort", close);
    close();
  }
}

const pause = (signal: AbortSignal): Promise<void> => sleep(pollMs, undefined, { signal }).catch(() => undefined);
