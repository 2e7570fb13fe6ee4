import { notFound } from "../../shared/domain/errors/app-error.ts";
import { type FiredTick, fireTick, tickErrors } from "../../shared/services/schedules/fire-tick.ts";
import { prepareTicks } from "../../shared/services/schedules/prepare-ticks.ts";
import { startFired } from "../../shared/services/schedules/start-fired.ts";
import { jobParams } from "../../shared/schemas/job.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import { inTransaction } from "../../shared/store/in-transaction.ts";
import { userLockName } from "../../shared/store/user-limits.ts";
import { findJob } from "../../shared/store/jobs/change-job.ts";
import { lockJob } from "../../shared/store/jobs/due-jobs.ts";
import { settleTick, takeTick } from "../../shared/store/jobs/record-ticks.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { refuseCancelled } from "./refuse-cancelled.ts";

export const triggerJob = defineOperation({
  method: "post",
  path: "/v1/jobs/{job_id}/trigger",
  name: "trigger_job",
  area: "Jobs",
  scope: "jobs:write",
  idempotent: true,
  audit: "job",
  summary: "Fire a job now",
  description:
    "The schedule is not changed. A paused or completed job can be fired, too. 409 `still_running` when the overlap policy is `skip` and a run of the job has not ended. Other errors are those of an execute request.",
  request: { params: jobParams },
  errors: ["job_not_found", "job_ended", ...tickErrors],
  responses: {
    202: {
      description: "The run",
      schema: runRecord,
      example: { ...queuedExample, origin: "job", job_id: "job_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" },
    },
  },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "streams" | "queue" | "jsonSchemas" | "room">,
    { params: { job_id }, caller },
  ) {
    const fired = await fireNow(ctx, job_id, caller.owner);
    void startFired(ctx, fired);
    const body = await readRun(ctx.db, fired.run.id, null);
    if (!body) throw notFound("run", fired.run.id);
    return { status: 202, body, headers: { Location: `/v1/runs/${body.id}` } };
  },
});

async function fireNow(
  ctx: Pick<ApiContext, "config" | "db" | "streams" | "jsonSchemas" | "room">,
  job_id: string,
  owner: Owner,
): Promise<FiredTick> {
  const seen = await findJob(ctx.db, job_id, owner);
  if (!seen) throw notFound("job", job_id);
  refuseCancelled(seen);
  const prepared = await prepareTicks(ctx, seen);
  await ctx.room.reserve(seen);
  // The user's other triggers wait without a connection.
  return ctx.db.withMutex(userLockName("runs", seen.user_id), () =>
    inTransaction(ctx.db, async (client) => {
      const locked = await lockJob(client, job_id, owner);
      if (!locked) throw notFound("job", job_id);
      refuseCancelled(locked.job);
      const tick = { job_id, at: locked.now, manual: true };
      // Two requests within a millisecond.
      while (!(await takeTick(client, tick))) tick.at = new Date(tick.at.getTime() + 1);
      const fired = await fireTick(ctx, client, { ...prepared, job: locked.job }, { at: tick.at, jitter_ms: null });
      await settleTick(client, tick, { run_id: fired.run.id, reason: null });
      return fired;
    }),
  );
}
