import { fireOrSkip, type FiredTick } from "../../../shared/services/schedules/fire-tick.ts";
import { type PreparedTicks, prepareTicks, reserveTick } from "../../../shared/services/schedules/prepare-ticks.ts";
import { inputUnchecked, orSkipped, type Skipped } from "../../../shared/services/schedules/skip-tick.ts";
import { startFired } from "../../../shared/services/schedules/start-fired.ts";
import { type DueTicks, dueTicks } from "../../../shared/domain/schedule/due-ticks.ts";
import { inTransaction } from "../../../shared/store/in-transaction.ts";
import { type DueJob, findDueJobs, lockDueJob, moveJob, readDueJob } from "../../../shared/store/jobs/due-jobs.ts";
import { recordMissed, takeTick } from "../../../shared/store/jobs/record-ticks.ts";
import type { WorkerContext } from "../../context.ts";
import { errorText } from "../../../shared/platform/error-text.ts";
import type { UncheckedJobs } from "./unchecked-jobs.ts";

export type FireDeps = Pick<WorkerContext, "db" | "log" | "ticks"> &
  Parameters<typeof prepareTicks>[0] &
  Parameters<typeof startFired>[0] & { unchecked: UncheckedJobs };

/** How many users' jobs are found at once. */
const jobsAtOnce = 20;
/** How many ticks of a job are fired before other users' jobs have their turn. */
const ticksAtOnce = 10;

/**
 * Fires the ticks of all jobs that are due, of each user one job at a time. Any number of workers may do this at once: each locks
 * another job, and a tick, its run and the job's next tick are committed together or not at all. So a worker that dies in between
 * leaves a tick that is still due, or one that was fired: never half of a tick, never a tick fired twice. Stops between two jobs
 * when aborted.
 */
export async function fireDueJobs(ctx: FireDeps, signal: AbortSignal): Promise<void> {
  const broken = ctx.unchecked.resting(performance.now());
  // Ends when other workers have all that is due.
  for (let fired = true; fired;) {
    fired = false;
    for (const id of await findDueJobs(ctx.db, { except: broken, most: jobsAtOnce })) {
      if (signal.aborted) return;
      fired = (await fireJob(ctx, id, broken)) || fired;
    }
  }
}

/** Fires a job's ticks. A job that fails is added to `broken` and tried again at the next call. Returns false when another worker has the job. */
async function fireJob(ctx: FireDeps, id: string, broken: string[]): Promise<boolean> {
  try {
    const found = await readDueJob(ctx.db, id);
    if (!found) return false;
    const { missed, fire, next } = atOnce(dueTicks(found.job, found.job.next_tick_at, found.now));
    const ready = await readyTicks(ctx, found.job, fire);
    if (ready.some(isUnchecked) && ctx.unchecked.rest(id, performance.now())) {
      broken.push(id);
      ctx.log.warn({ job_id: id }, "there was no time to check the input of a job's tick; it is tried again in 20 s");
      return true;
    }
    const fired = await fireTicks(ctx, found.job, { missed, ready, next });
    if (!fired) return false;
    // Not awaited: other due jobs must not wait while Redis is away.
    if (next) void ctx.ticks.arm(id, next);
    for (const run of fired) void startFired(ctx, run);
  } catch (error) {
    broken.push(id);
    ctx.log.error({ job_id: id, err: errorText(error) }, "a job could not be fired; the next poll tries again");
  }
  return true;
}

/** Returns the ticks of one turn. */
const atOnce = ({ missed, fire, next }: DueTicks): DueTicks => ({
  missed,
  fire: fire.slice(0, ticksAtOnce),
  next: fire[ticksAtOnce] ?? next,
});

type ReadyTick = { at: Date; ready: PreparedTicks | Skipped };

const isUnchecked = ({ ready }: ReadyTick): boolean => "reason" in ready && ready.reason === inputUnchecked;

/** Checks what the ticks run, once, and reserves room in the queue for each. */
async function readyTicks(ctx: FireDeps, job: DueJob, ticks: Date[]): Promise<ReadyTick[]> {
  if (ticks.length === 0) return [];
  const prepared = await orSkipped(prepareTicks(ctx, job));
  const all: ReadyTick[] = [];
  for (const at of ticks) all.push({ at, ready: await reserveTick(ctx, job, prepared) });
  return all;
}

/** Returns null when the job has changed since, or another worker has it. */
function fireTicks(
  ctx: FireDeps,
  job: DueJob,
  { missed, ready: ticks, next }: { missed: Date[]; ready: ReadyTick[]; next: Date | null },
): Promise<FiredTick[] | null> {
  return inTransaction(ctx.db, async (client) => {
    if (!(await lockDueJob(client, job))) return null;
    await recordMissed(client, job.id, missed);
    const runs: FiredTick[] = [];
    for (const { at, ready } of ticks) {
      // A tick that was fired already is only found after a clock went back.
      if (!(await takeTick(client, { job_id: job.id, at, manual: false }))) continue;
      const { fired } = await fireOrSkip(ctx, client, { job, ready }, { at, jitter_ms: job.jitter_ms });
      if (fired) runs.push(fired);
    }
    await moveJob(client, job.id, ticks.at(-1)?.at ?? job.next_tick_at, next);
    return runs;
  });
}
