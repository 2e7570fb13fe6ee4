import { expireQueue } from "../../shared/services/maintenance/expire-queue.ts";
import type { InternalJob } from "../../shared/services/maintenance/internal-job.ts";
import { reconcileRuns } from "../../shared/services/maintenance/reconcile-runs.ts";
import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { bookAllUsage } from "../../shared/store/billing/book-usage.ts";
import { forgetWorkers } from "../../shared/store/workers/announce-worker.ts";
import type { WorkerContext } from "../context.ts";
import { startInternalJobs } from "./start-internal-jobs.ts";

const silentWorkerMs = 60_000;

type MaintenanceDeps = Pick<WorkerContext, "config"> & Parameters<InternalJob["run"]>[0];

/** Starts this worker's share of the fleet's maintenance. Any number of workers may do this at once. */
export function startMaintenance(ctx: MaintenanceDeps): Loop[] {
  const { config, log, db } = ctx;
  // These run each second, so they are called without the row that each execution of an internal job gets.
  const runOnce = async (job: InternalJob): Promise<void> => {
    await job.run(ctx, { dry_run: false, signal: new AbortController().signal });
  };
  return [
    startLoop("reconcile-runs", Math.min(1_000, config.worker.leaseMs / 6), log, () => runOnce(reconcileRuns)),
    startLoop("expire-queue", 5_000, log, () => runOnce(expireQueue)),
    startLoop("book-usage", 1_000, log, () => bookAllUsage(db)),
    startLoop("forget-workers", 30_000, log, () => forgetWorkers(db, silentWorkerMs)),
    startInternalJobs(ctx),
  ];
}
