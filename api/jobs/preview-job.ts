import { firstTick, ticksAfter } from "../../shared/domain/schedule/due-ticks.ts";
import { jitterOf } from "../../shared/domain/schedule/jitter.ts";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { jobParams, previewQuery, tickPreview } from "../../shared/schemas/job.ts";
import { findJob } from "../../shared/store/jobs/change-job.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { collectTicks } from "./collect-ticks.ts";

export const previewJob = defineOperation({
  method: "get",
  path: "/v1/jobs/{job_id}/preview",
  name: "preview_job",
  area: "Jobs",
  scope: "jobs:read",
  summary: "The next ticks of a job",
  description: "Of a paused job, the ticks that it would have. A job without a schedule has none once it has fired.",
  request: { params: jobParams, query: previewQuery },
  responses: { 200: { description: "The next ticks, and when their runs start", schema: tickPreview } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { job_id }, query: { count }, caller }) {
    const job = await findJob(db, job_id, caller.owner);
    if (!job) throw notFound("job", job_id);
    const now = await readClock(db);
    const { next_tick_at: due, schedule, status } = job;
    const isOver = status === "cancelled" || (schedule === null && due === null);
    const first = isOver ? null : (due ?? firstTick(job, now));
    const more = first && schedule !== null ? await collectTicks(ticksAfter(job, first), count - 1) : [];
    const ticks = first ? [first, ...more] : [];
    const data = ticks.map((tick) => ({
      scheduled_at: tick.toISOString(),
      run_at: new Date(tick.getTime() + jitterOf(job_id, tick, job.jitter_ms)).toISOString(),
    }));
    return { status: 200, body: { data } };
  },
});
