import { expireQueue } from "../../shared/services/maintenance/expire-queue.ts";
import type { InternalJob } from "../../shared/services/maintenance/internal-job.ts";
import { reconcileRuns } from "../../shared/services/maintenance/reconcile-runs.ts";
import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { bookAllUsage } from "../../shared/store/billing/book-usage.ts";
import { takeDuty } from "../../shared/store/internal-jobs/take-duty.ts";
import { forgetWorkers } from "../../shared/store/workers/announce-worker.ts";
import type { WorkerContext } from "../context.ts";
import { startInternalJobs } from "./start-internal-jobs.ts";

const silentWorkerMs = 60_000;
/** A loop comes back up to a tenth early; a duty that it took the last time must be free by then. */
const shortest = 0.8;

type MaintenanceDeps = Pick<WorkerContext, "config"> & Parameters<InternalJob["run"]>[0];

/**
 * Starts this worker's share of the fleet's maintenance. Each duty is taken by one worker at a time, so that what it costs
 * doesn't grow with the number of workers. Two that have it at once do no harm.
 */
export function startMaintenance(ctx: MaintenanceDeps): Loop[] {
  const { config, log, db } = ctx;
  // These run each second, so they are called without the row that each execution of an internal job gets.
  const runOnce = async (job: InternalJob): Promise<void> => {
    await job.run(ctx, { dry_run: false, signal: new AbortController().signal });
  };
  const share = (name: string, everyMs: number, duty: () => Promise<void>): Loop =>
    startLoop(name, everyMs, log, async () => {
      if (await takeDuty(db, name, everyMs * shortest)) await duty();
    });
  return [
    share("reconcile-runs", Math.min(1_000, config.worker.leaseMs / 6), () => runOnce(reconcileRuns)),
    share("expire-queue", 5_000, () => runOnce(expireQueue)),
    share("book-usage", 1_000, () => bookAllUsage(db)),
    share("forget-workers", 30_000, () => forgetWorkers(db, silentWorkerMs)),
    startInternalJobs(ctx),
  ];
}
