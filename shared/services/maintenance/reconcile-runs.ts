import { endRun, type Ending } from "../runs/end-run.ts";
import { countLostRuns } from "../../store/runs/overdue-runs.ts";
import { type LostRun, requeueLostRuns } from "../../store/runs/requeue-run.ts";
import { releaseRuns } from "../../store/runs/schedule-run.ts";
import type { InternalJob } from "./internal-job.ts";

const batch = 100;

/**
 * Runs whose worker's lease ran out go back to the queue, or end when they were lost too often or asked to be cancelled. Those
 * whose retry is due go back as well.
 */
export const reconcileRuns: InternalJob = {
  name: "reconcile-runs",
  summary: "Takes runs away from workers that were lost, and queues due retries. Each worker does so every second.",
  every_ms: null,
  async run(deps, { dry_run }) {
    if (dry_run) return { lost: await countLostRuns(deps.db) };
    const counts = { requeued: 0, ended: 0, released: 0 };
    for (const run of await requeueLostRuns(deps.db, { limit: batch, leaseMs: deps.config.worker.leaseMs })) {
      deps.log.warn({ run_id: run.id, attempt: run.attempt, outcome: run.outcome }, "a run's worker was lost");
      if (run.outcome === "requeued") {
        counts.requeued += 1;
        // Not waited for: a Redis that is slow or away must not delay the next look. The workers' poll finds a lost nudge.
        void deps.queue.dispatch(run.id).catch(() => undefined);
      } else if (await endRun(deps, run, givenUp(run.outcome))) counts.ended += 1;
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

function givenUp(outcome: Exclude<LostRun["outcome"], "requeued">): Ending {
  const nothing = { result_content: null, state_snapshot: null };
  const ending = { cause: "give_up", duration_ms: null } as const;
  if (outcome === "cancelling")
    return { ...ending, reason: "cancelled", outcome: { ...nothing, status: "cancelled", error: null } };
  const message = "The workers that ran it were lost, as often as the run may be tried.";
  const error = { code: "worker_lost", type: null, message, traceback: null };
  return { ...ending, reason: "worker_lost", outcome: { ...nothing, status: "error", error } };
}
