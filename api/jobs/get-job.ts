import { notFound } from "../../shared/domain/errors/app-error.ts";
import { jobParams, jobRecord, type JobRecord } from "../../shared/schemas/job.ts";
import { readJob } from "../../shared/store/jobs/job-record.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getJob = defineOperation({
  method: "get",
  path: "/v1/jobs/{job_id}",
  name: "get_job",
  area: "Jobs",
  scope: "jobs:read",
  summary: "A job with its next and its last tick",
  description: "Only the names of its env_vars and files are shown.",
  request: { params: jobParams },
  responses: { 200: { description: "The job", schema: jobRecord } },
  async handle(ctx: Pick<ApiContext, "db">, { params: { job_id }, caller }) {
    return { status: 200, body: await getJobRecord(ctx, job_id, caller.owner) };
  },
});

/** Throws not_found when the owner has no such job. */
export async function getJobRecord({ db }: Pick<ApiContext, "db">, id: string, owner: Owner): Promise<JobRecord> {
  const job = await readJob(db, id, owner);
  if (!job) throw notFound("job", id);
  return job;
}
