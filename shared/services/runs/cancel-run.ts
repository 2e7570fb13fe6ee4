import { endRun } from "./end-run.ts";
import { isTerminal } from "../../domain/run/run-status.ts";
import { mayMove } from "../../domain/run/transitions.ts";
import { readRunHandle, requestCancel } from "../../store/runs/request-cancel.ts";
import type { Db } from "../../store/client.ts";
import type { Owner } from "../../store/owned-by.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

type Deps = { db: Db; streams: RunStreams; queue: Pick<RunQueue, "dispatch"> };

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
      const nothing = { result_content: null, error: null, state_snapshot: null };
      const outcome = { ...nothing, status: "cancelled" } as const;
      if (await endRun(deps, run, { cause: "cancel", outcome, reason: "cancelled", duration_ms: null })) return true;
    } else if (await requestCancel(deps.db, run)) {
      if (run.worker_id)
        await deps.streams.signalWorker(run.worker_id, { kind: "look", run_id: run.id }).catch(() => undefined);
      return true;
    }
    // It moved on between the look and the act: look again.
  }
}
