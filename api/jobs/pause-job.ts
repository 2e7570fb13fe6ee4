import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { jobParams, jobRecord } from "../../shared/schemas/job.ts";
import { changeJob } from "../../shared/store/jobs/change-job.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { getJobRecord } from "./get-job.ts";

export const pauseJob = defineOperation({
  method: "post",
  path: "/v1/jobs/{job_id}/pause",
  name: "pause_job",
  area: "Jobs",
  scope: "jobs:write",
  audit: "job",
  summary: "Pause a job",
  description:
    "The job fires no tick until it is resumed. Its runs continue. A paused job is left as it is; a completed or cancelled one is a 409.",
  request: { params: jobParams },
  errors: ["job_ended"],
  responses: { 200: { description: "The job", schema: jobRecord } },
  async handle(ctx: Pick<ApiContext, "db">, { params: { job_id }, caller }) {
    const done = await changeJob(ctx.db, job_id, caller.owner, ({ status }) => {
      if (status === "paused") return null;
      if (status !== "active") throw conflict("job_ended", `The job is ${status} and can't be paused.`);
      return { status: "paused", next_tick_at: null };
    });
    if (!done) throw notFound("job", job_id);
    return { status: 200, body: await getJobRecord(ctx, job_id, caller.owner) };
  },
});
