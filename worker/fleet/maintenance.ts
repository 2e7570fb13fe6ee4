import { expireQueue } from "../../shared/services/maintenance/expire-queue.ts";
import type { InternalJob } from "../../shared/services/maintenance/internal-job.ts";
import { reconcileRuns } from "../../shared/services/maintenance/reconcile-runs.ts";
import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { bookAllUsage } from "../../shared/store/billing/book-usage.ts";
import { forgetWorkers } from "../../shared/store/workers/announce-worker.ts";
import type { WorkerContext } from "../context.ts";
import { startInternalJobs } from "./start-internal-jobs.ts";

const silentWorkerMs = 60_000;

/** This worker's share of what nobody in particular is there for. Any number of workers may do the same at once. */
export function startChores(ctx: WorkerContext): Loop[] {
  const { config, log, db } = ctx;
  // Without a row each second, as the jobs on the clock have one.
  const turn = async (job: InternalJob): Promise<void> => {
    await job.run(ctx, { dry_run: false, signal: new AbortController().signal });
  };
  return [
    startLoop("reconcile-runs", Math.min(1_000, config.worker.leaseMs / 6), log, () => turn(reconcileRuns)),
    startLoop("expire-queue", 5_000, log, () => turn(expireQueue)),
    startLoop("book-usage", 1_000, log, () => bookAllUsage(db)),
    startLoop("forget-workers", 30_000, log, () => forgetWorkers(db, silentWorkerMs)),
    startInternalJobs(ctx),
  ];
}
