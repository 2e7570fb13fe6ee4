import type { RunError } from "../../schemas/run-event.ts";
import { giveUpRun } from "../runs/give-up-run.ts";
import { countLostRuns } from "../../store/runs/overdue-runs.ts";
import { requeueLostRuns } from "../../store/runs/requeue-run.ts";
import { releaseRuns } from "../../store/runs/schedule-run.ts";
import type { InternalJob } from "./internal-job.ts";

const batch = 100;

/**
 * Queues runs whose worker's lease has expired, or ends them when no attempt is left or a cancel was requested. Queues runs
 * whose retry is due, too.
 */
export const reconcileRuns: InternalJob = {
  name: "reconcile-runs",
  summary: "Queues or ends the runs of lost workers, and queues due retries. Each worker does so every second.",
  every_ms: null,
  async run(deps, { dry_run }) {
    if (dry_run) return { lost: await countLostRuns(deps.db) };
    const counts = { requeued: 0, ended: 0, released: 0 };
    for (const run of await requeueLostRuns(deps.db, { limit: batch, leaseMs: deps.config.worker.leaseMs })) {
      deps.log.warn({ run_id: run.id, attempt: run.attempt, outcome: run.outcome }, "a run's worker was lost");
      const { outcome } = run;
      if (outcome === "requeued") {
        counts.requeued += 1;
        // Not awaited: a slow or unreachable Redis must not delay the next run. The workers' poll finds a lost nudge.
        void deps.queue.dispatch(run.id).catch(() => undefined);
      } else if (await giveUpRun(deps, { ...run, outcome }, workerLost)) counts.ended += 1;
    }
    for (let due = batch; due === batch;) {
      const released = await releaseRuns(deps.db, batch);
      for (const id of released) void deps.queue.dispatch(id).catch(() => undefined);
      due = released.length;
      counts.released += due;
    }
    return counts;
  },
};

const workerLost: RunError = {
  code: "worker_lost",
  type: null,
  message: "The worker of the run was lost, and the run has no attempt left (max_attempts).",
  traceback: null,
};
