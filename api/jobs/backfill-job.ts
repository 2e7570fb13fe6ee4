import { notFound } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { ticksAfter } from "../../shared/domain/schedule/due-ticks.ts";
import { backfillBody, backfillResult, jobParams, type JobTickRecord, mostTicks } from "../../shared/schemas/job.ts";
import { fireOrSkip } from "../../shared/services/schedules/fire-tick.ts";
import { type PreparedTicks, prepareTicks, reserveTick } from "../../shared/services/schedules/prepare-ticks.ts";
import { orSkipped, type Skipped } from "../../shared/services/schedules/skip-tick.ts";
import { startFired } from "../../shared/services/schedules/start-fired.ts";
import { inTransaction } from "../../shared/store/in-transaction.ts";
import { userLockName } from "../../shared/store/user-limits.ts";
import { findJob } from "../../shared/store/jobs/change-job.ts";
import { lockJob } from "../../shared/store/jobs/due-jobs.ts";
import type { JobRow } from "../../shared/store/jobs/job-columns.ts";
import { toTickRecord } from "../../shared/store/jobs/list-ticks.ts";
import { takePastTick } from "../../shared/store/jobs/record-ticks.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { collectTicks } from "./collect-ticks.ts";
import { refuseCancelled } from "./refuse-cancelled.ts";

type Deps = Pick<ApiContext, "config" | "db" | "streams" | "queue" | "jsonSchemas" | "room">;

export const backfillJob = defineOperation({
  method: "post",
  path: "/v1/jobs/{job_id}/backfill",
  name: "backfill_job",
  area: "Jobs",
  scope: "jobs:write",
  audit: "job",
  summary: "Fire the ticks of a time that has passed",
  description: `Makes a run for each tick of the schedule in [from, to] that has made none: ticks before the job was created, ticks that were missed and ticks that were skipped. The runs have the tick's time in \`metadata.scheduled_at\`, start at once, and don't wait for each other, whatever the job's overlap policy and jitter. A repeated request only fires what is left. What became of a tick is kept for RETENTION_DAYS, so earlier ticks from the job's own time are refused. At most ${mostTicks} ticks a request.`,
  request: { params: jobParams, body: backfillBody },
  errors: ["job_ended"],
  responses: { 202: { description: "What became of each tick", schema: backfillResult } },
  async handle(ctx: Deps, { params: { job_id }, body: { from, to }, caller }) {
    const job = await findJob(ctx.db, job_id, caller.owner);
    if (!job) throw notFound("job", job_id);
    const now = await readClock(ctx.db);
    checkRange(from, to, now);
    const before = new Date(from.getTime() - 1);
    const ticks = job.schedule === null ? [] : await collectTicks(ticksAfter(job, before, to), mostTicks + 1);
    if (ticks.length > mostTicks)
      throw fault("to", `the schedule has more than ${mostTicks} ticks in this time; ask for less of it at once`);
    checkIsKnown(ctx.config.retention, job, ticks, now);
    refuseCancelled(job);
    const data: JobTickRecord[] = [];
    let prepared: PreparedTicks | Skipped | null = null;
    for (const at of ticks) {
      prepared ??= await orSkipped(prepareTicks(ctx, job));
      const tick = await fireOnce(ctx, job, prepared, at);
      if (tick) data.push(tick);
    }
    const fired = data.filter(({ outcome }) => outcome === "fired").length;
    const body = { fired, skipped: data.length - fired, already_fired: ticks.length - data.length, data };
    return { status: 202, body };
  },
});

function checkRange(from: Date, to: Date, now: Date): void {
  if (from > to) throw fault("to", "must not be before `from`");
  if (to > now) throw fault("to", "must have passed");
}

/** What has become of a tick of the job's time is forgotten some day: the tick may have made a run. */
function checkIsKnown(
  { days }: Deps["config"]["retention"],
  { created_at }: JobRow,
  ticks: readonly Date[],
  now: Date,
): void {
  const kept = now.getTime() - days * 86_400_000;
  if (ticks.some((at) => at > created_at && at.getTime() < kept))
    throw fault(
      "from",
      `names ticks that may have made runs already: what became of a tick is kept for ${days} days (RETENTION_DAYS). Begin later, or end before the job was created`,
    );
}

const fault = (field: string, what: string): ValidationFault =>
  new ValidationFault([{ type: "value_error", loc: ["body", field], msg: `Value error, ${what}` }]);

/** Fires a tick in a transaction of its own. Returns null when the tick has made a run before. */
async function fireOnce(
  ctx: Deps,
  job: JobRow,
  prepared: PreparedTicks | Skipped,
  at: Date,
): Promise<JobTickRecord | null> {
  const { id: job_id, user_id } = job;
  const ready = await reserveTick(ctx, job, prepared);
  // The user's other ticks wait without a connection.
  const settled = await ctx.db.withMutex(userLockName("runs", user_id), () =>
    inTransaction(ctx.db, async (client) => {
      const locked = await lockJob(client, job_id, user_id);
      if (!locked) throw notFound("job", job_id);
      refuseCancelled(locked.job);
      if (!(await takePastTick(client, { job_id, at }))) return null;
      const beside = { ...locked.job, overlap: "allow" } as const;
      return fireOrSkip(ctx, client, { job: beside, ready }, { at, jitter_ms: null });
    }),
  );
  if (settled === null) return null;
  const { fired, end } = settled;
  if (fired) void startFired(ctx, fired);
  const outcome = fired ? "fired" : "skipped";
  return toTickRecord({ job_id, scheduled_at: at, manual: false, outcome, ...end, created_at: at });
}
