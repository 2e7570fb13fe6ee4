import { endRun } from "../../shared/end-run.ts";
import { isTerminal } from "../../shared/run/run-status.ts";
import { mayMove } from "../../shared/run/transitions.ts";
import { readRunHandle, requestCancel } from "../../shared/store/runs/request-cancel.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import type { ApiContext } from "../context.ts";

type Deps = Pick<ApiContext, "db" | "streams" | "queue">;

/**
 * Cancels a run: one that waits ends here and now; a running one is stopped by its worker, which is told at once and
 * finds it in the row otherwise. One that has ended stays as it is. False: the owner has no such run.
 */
export async function cancelRun(deps: Deps, runId: string, owner: Owner): Promise<boolean> {
  for (;;) {
    const run = await readRunHandle(deps.db, runId, owner);
    if (!run) return false;
    if (isTerminal(run.status)) return true;
    if (mayMove("cancel", run.status, "cancelled")) {
      const nothing = { result_content: null, error: null, state_snapshot: null, usage: null };
      const outcome = { ...nothing, status: "cancelled" } as const;
      if (await endRun(deps, run, { cause: "cancel", outcome, reason: "cancelled", duration_ms: null })) return true;
    } else if (await requestCancel(deps.db, run)) {
      if (run.worker_id)
        await deps.streams.tellWorker(run.worker_id, { kind: "look", run_id: run.id }).catch(() => undefined);
      return true;
    }
    // It moved on between the look and the act: look again.
  }
}
