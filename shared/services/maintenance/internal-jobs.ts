import { expireQueue } from "./expire-queue.ts";
import type { InternalJob } from "./internal-job.ts";
import { reconcileDaemons } from "./reconcile-daemons.ts";
import { reconcileRuns } from "./reconcile-runs.ts";
import { purgeOldRows } from "./purge-old-rows.ts";
import { retryCallbacks } from "./retry-callbacks.ts";
import { rollupAnalytics } from "./rollup-analytics.ts";
import { sampleFleet } from "./sample-fleet.ts";
import { weeklyReset } from "./weekly-reset.ts";

/** All internal jobs. Workers start them by the clock, and `POST /v1/internal/jobs/{name}` by request. */
export const internalJobs: readonly InternalJob[] = [
  reconcileRuns,
  expireQueue,
  retryCallbacks,
  reconcileDaemons,
  purgeOldRows,
  rollupAnalytics,
  sampleFleet,
  weeklyReset,
];
