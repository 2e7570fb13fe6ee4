import { queueTtlMs } from "../../domain/run/run-limits.ts";
import type { RunError } from "../../schemas/run-event.ts";
import { reconcileChildRuns } from "../children/reconcile-child-runs.ts";
import { giveUpRun } from "../runs/give-up-run.ts";
import { nudgeRuns } from "../runs/nudge-run.ts";
import { countLostRuns } from "../../store/runs/moves/overdue-runs.ts";
import { requeueLostRuns } from "../../store/runs/moves/lose-run.ts";
import { wakeRuns } from "../../store/runs/moves/suspend-run.ts";
import { releaseRuns } from "../../store/runs/moves/schedule-run.ts";
import type { InternalJob } from "./internal-job.ts";
import { tryEach } from "./try-each.ts";

const batch = 100;
/** Many may be due at a full hour. */
const wakeBatch = 500;

/**
 * Queues runs whose worker's lease has expired, or ends them when no attempt is left or a cancel was requested. Queues runs
 * whose retry, or one of whose waits, is due, too.
 */
export const reconcileRuns: InternalJob = {
  name: "reconcile-runs",
  summary:
    "Queues or ends the runs of lost workers, and queues due retries and suspended runs that are due. One worker of the fleet does so every second.",
  every_ms: null,
  async run(deps, { dry_run }) {
    if (dry_run) return { lost: await countLostRuns(deps.db) };
    const counts = { requeued: 0, ended: 0, released: 0, woken: 0 };
    const lost = await requeueLostRuns(deps.db, { limit: batch, leaseMs: deps.config.worker.leaseMs });
    for (const { id, attempt, outcome } of lost)
      deps.log.warn({ run_id: id, attempt, outcome }, "a run's worker was lost");
    const requeued = lost.filter(({ outcome }) => outcome === "requeued").map(({ id }) => id);
    counts.requeued = requeued.length;
    // Not awaited: a slow or unreachable Redis must not delay the next run.
    void nudgeRuns(deps, requeued);
    counts.ended = await tryEach(deps.log, lost, async ({ outcome, ...run }) =>
      outcome === "requeued" ? false : giveUpRun(deps, { ...run, outcome }, workerLost),
    );
    for (let due = batch; due === batch;) {
      const released = await releaseRuns(deps.db, batch);
      void nudgeRuns(deps, released);
      due = released.length;
      counts.released += due;
    }
    for (let due = wakeBatch; due === wakeBatch;) {
      const { due: found, woken } = await wakeRuns(deps.db, wakeBatch, queueTtlMs);
      void nudgeRuns(deps, woken);
      due = found;
      counts.woken += woken.length;
    }
    const { woken, cancelled } = await reconcileChildRuns(deps);
    return { ...counts, woken: counts.woken + woken, cancelled };
  },
};

const workerLost: RunError = {
  code: "worker_lost",
  type: null,
  message: "The worker of the run was lost, and the run has no attempt left (max_attempts).",
  traceback: null,
};
