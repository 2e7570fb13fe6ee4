import { notFound } from "../../shared/domain/errors/app-error.ts";
import { jobParams } from "../../shared/schemas/job.ts";
import { deleteJob as remove } from "../../shared/store/jobs/change-job.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteJob = defineOperation({
  method: "delete",
  path: "/v1/jobs/{job_id}",
  name: "delete_job",
  area: "Jobs",
  scope: "jobs:write",
  audit: "job",
  summary: "Delete a job",
  description: "Deletes the job with its ticks. Its runs are not deleted, and running ones continue.",
  request: { params: jobParams },
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { job_id }, caller }) {
    if (!(await remove(db, job_id, caller.owner))) throw notFound("job", job_id);
    return { status: 204 };
  },
});
