import type { EventId } from "../../shared/domain/run/event-id.ts";
import { followRun, type FollowDeps } from "./follow-run.ts";
import type { Tail } from "./tail.ts";

/** Resolves when a run has ended or waits for a person, or when its tail was closed. Rejects when the stores fail. */
export function endOfRun(
  deps: FollowDeps,
  runId: string,
  tail: Tail,
  start: { cursor: EventId; fresh: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = { take: () => undefined, end: () => resolve(), fail: reject };
    followRun(deps, runId, tail, { ...start, reader });
  });
}
