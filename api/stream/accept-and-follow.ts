import { beforeFirst } from "../../shared/domain/run/event-id.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { type AcceptDeps, acceptRun } from "../../shared/services/runs/accept-run.ts";
import type { Origin } from "../../shared/services/runs/prepare-run.ts";
import type { FollowedRun } from "./respond-run.ts";
import type { Tail } from "./tail.ts";
import type { TailHub } from "./tail-hub.ts";

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
