import { type FiredTick, fireTick, skipReasonOf } from "../../../shared/services/schedules/fire-tick.ts";
import { startFired } from "../../../shared/services/schedules/start-fired.ts";
import { dueTicks } from "../../../shared/domain/schedule/due-ticks.ts";
import type { Queryable } from "../../../shared/store/client.ts";
import { inTransaction } from "../../../shared/store/in-transaction.ts";
import { lockDueJob, moveJob } from "../../../shared/store/jobs/due-jobs.ts";
import type { JobRow } from "../../../shared/store/jobs/job-columns.ts";
import { recordMissed, settleTick, takeTick } from "../../../shared/store/jobs/record-ticks.ts";
import type { WorkerContext } from "../../context.ts";
import { errorText } from "../../../shared/platform/error-text.ts";

export type FireDeps = Pick<WorkerContext, "db" | "log" | "ticks"> &
  Parameters<typeof fireTick>[0] &
  Parameters<typeof startFired>[0];

/**
 * Fires the ticks of all jobs that are due. Any number of workers may do this at once: each locks another job, and a tick,
 * its run and the job's next tick are committed together or not at all. So a worker that dies in between leaves a tick that
 * is still due, or one that was fired: never half of a tick, never a tick fired twice. Stops between two jobs when aborted.
 */
export async function fireDueJobs(ctx: FireDeps, signal: AbortSignal): Promise<void> {
  const broken: string[] = [];
  while (!signal.aborted && (await fireNext(ctx, broken)));
}

/** Fires one due job. A job that fails is added to `broken` and tried again at the next call. Returns false when none is due. */
async function fireNext(ctx: FireDeps, broken: string[]): Promise<boolean> {
  let jobId = "";
  try {
    const fired = await inTransaction(ctx.db, async (client) => {
      const found = await lockDueJob(client, broken);
      if (!found) return null;
      const { job, now } = found;
      jobId = job.id;
      const { missed, fire, next } = dueTicks(job, job.next_tick_at, now);
      await recordMissed(client, job.id, missed);
      const runs: FiredTick[] = [];
      for (const at of fire) runs.push(...(await fireScheduled(ctx, client, job, at)));
      await moveJob(client, job.id, fire.at(-1) ?? job.next_tick_at, next);
      return { runs, next };
    });
    if (!fired) return false;
    // Not awaited: other due jobs must not wait while Redis is away.
    if (fired.next) void ctx.ticks.arm(jobId, fired.next);
    for (const run of fired.runs) void startFired(ctx, run);
  } catch (error) {
    if (jobId === "") throw error;
    broken.push(jobId);
    ctx.log.error({ job_id: jobId, err: errorText(error) }, "a job could not be fired; the next poll tries again");
  }
  return true;
}

async function fireScheduled(ctx: FireDeps, client: Queryable, job: JobRow, at: Date): Promise<FiredTick[]> {
  const tick = { job_id: job.id, at, manual: false };
  // The tick was fired already; this only happens after a clock went back.
  if (!(await takeTick(client, tick))) return [];
  try {
    const fired = await fireTick(ctx, client, job, { at, jitter_ms: job.jitter_ms });
    await settleTick(client, tick, { run_id: fired.run.id, reason: null });
    return [fired];
  } catch (error) {
    const reason = skipReasonOf(error);
    if (reason === null) throw error;
    await settleTick(client, tick, { run_id: null, reason });
    return [];
  }
}
