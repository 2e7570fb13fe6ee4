import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { firstTick } from "../../shared/domain/schedule/due-ticks.ts";
import { jobParams, jobRecord } from "../../shared/schemas/job.ts";
import { changeJob } from "../../shared/store/jobs/change-job.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { getJobRecord } from "./get-job.ts";

export const resumeJob = defineOperation({
  method: "post",
  path: "/v1/jobs/{job_id}/resume",
  name: "resume_job",
  area: "Jobs",
  scope: "jobs:write",
  audit: "job",
  summary: "Resume a paused job",
  description:
    "The job continues with its next tick from now on. Ticks during the pause are skipped, and a job without a future tick is completed. An active job is left as it is; a completed or cancelled one is a 409.",
  request: { params: jobParams },
  errors: ["job_ended"],
  responses: { 200: { description: "The job", schema: jobRecord } },
  async handle(ctx: Pick<ApiContext, "db" | "ticks">, { params: { job_id }, caller }) {
    const done = await changeJob(ctx.db, job_id, caller.owner, (job, now) => {
      if (job.status === "active") return null;
      if (job.status !== "paused") throw conflict("job_ended", `The job is ${job.status} and can't be resumed.`);
      const next_tick_at = firstTick(job, now);
      return { status: next_tick_at ? "active" : "completed", next_tick_at };
    });
    if (!done) throw notFound("job", job_id);
    const body = await getJobRecord(ctx, job_id, caller.owner);
    if (body.next_tick_at !== null) void ctx.ticks.arm(job_id, new Date(body.next_tick_at));
    return { status: 200, body };
  },
});
