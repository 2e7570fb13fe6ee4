import { internalJobs } from "../../shared/services/maintenance/internal-jobs.ts";
import { runInternalJob } from "../../shared/services/maintenance/run-internal-job.ts";
import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";

const checkEveryMs = 5_000;

/** Starts internal jobs that are due. Every worker tries; the store lets one of them start the job. */
export function startInternalJobs(ctx: Parameters<typeof runInternalJob>[0]): Loop {
  const leaving = new AbortController();
  const loop = startLoop("internal-jobs", checkEveryMs, ctx.log, async () => {
    for (const job of internalJobs)
      if (job.every_ms !== null && !leaving.signal.aborted)
        await runInternalJob(ctx, job, {
          triggered_by: "clock",
          dry_run: false,
          every_ms: job.every_ms,
          signal: leaving.signal,
        });
  });
  return {
    close() {
      leaving.abort();
      return loop.close();
    },
  };
}
