import type { EventId } from "../../shared/domain/run/event-id.ts";
import { withTimeLimit } from "../../shared/platform/lifecycle/with-time-limit.ts";
import { followRun, type FollowDeps } from "./follow-run.ts";
import type { Tail } from "./tail.ts";
import { onceAborted } from "../../shared/platform/lifecycle/once-aborted.ts";

type Wait = {
  cursor: EventId;
  /** True when the run was made after the tail began to listen. */
  fresh: boolean;
  ms: number;
  /** Each of them ends the wait when it is aborted. */
  signals: AbortSignal[];
};

/** Resolves when the run has ended or waits for an answer, after `ms`, or on a signal. Closes the tail. */
export async function awaitRunEnd(deps: FollowDeps, runId: string, tail: Tail, wait: Wait): Promise<void> {
  const { cursor, fresh, ms, signals } = wait;
  await withTimeLimit({ ms, signals }, async (until) => {
    onceAborted(until, () => tail.close());
    await new Promise<void>((resolve, reject) => {
      const reader = { take: () => undefined, end: () => resolve(), fail: reject };
      followRun(deps, runId, tail, { cursor, fresh, reader });
    });
  });
  tail.close();
}
