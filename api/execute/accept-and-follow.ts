import { beforeFirst, type EventId } from "../../shared/domain/run/event-id.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { type AcceptDeps, type AcceptedRun, acceptRun } from "../../shared/services/runs/accept-run.ts";
import type { Origin } from "../../shared/services/runs/prepare-run.ts";
import { awaitRunEnd } from "../stream/await-run-end.ts";
import type { FollowDeps } from "../stream/follow-run.ts";
import type { Tail } from "../stream/tail.ts";
import type { TailHub } from "../stream/tail-hub.ts";

export type FollowedRun = AcceptedRun & {
  tail: Tail;
  /** Where the run's stream begins. */
  cursor: EventId;
};

/** Accepts a run and listens to its events since before it could start. The caller closes the tail. */
export async function acceptAndFollow(
  deps: AcceptDeps & { hub: Pick<TailHub, "open"> },
  request: ExecuteRequest,
  origin: Origin,
): Promise<FollowedRun> {
  const opened: { tail?: Tail } = {};
  try {
    const accepted = await acceptRun(deps, request, origin, (runId) => {
      opened.tail?.close();
      opened.tail = deps.hub.open(runId);
      return opened.tail.listening;
    });
    return { ...accepted, cursor: beforeFirst, tail: opened.tail ?? deps.hub.open(accepted.run_id) };
  } catch (error) {
    opened.tail?.close();
    throw error;
  }
}

/** Resolves when the run has ended or waits for an answer, after `ms`, or on one of the signals. */
export function awaitFollowedRun(
  deps: FollowDeps,
  { run_id, tail, queued, cursor }: FollowedRun,
  ms: number,
  signals: AbortSignal[],
): Promise<void> {
  // Of a new run the first event is known.
  return awaitRunEnd(deps, run_id, tail, { cursor: queued ?? cursor, fresh: queued !== null, ms, signals });
}
