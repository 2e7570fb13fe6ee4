import { expireQueue } from "./expire-queue.ts";
import type { InternalJob } from "./internal-job.ts";
import { reconcileDaemons } from "./reconcile-daemons.ts";
import { reconcileRuns } from "./reconcile-runs.ts";
import { purgeTranscripts } from "./purge-transcripts.ts";
import { retryCallbacks } from "./retry-callbacks.ts";
import { rollupAnalytics } from "./rollup-analytics.ts";
import { weeklyReset } from "./weekly-reset.ts";

/** All of them: the workers' clock and the internal operations take them from here. */
export const internalJobs: readonly InternalJob[] = [
  reconcileRuns,
  expireQueue,
  retryCallbacks,
  reconcileDaemons,
  purgeTranscripts,
  rollupAnalytics,
  weeklyReset,
];
