import { jobListQuery, jobListItem } from "../../shared/schemas/job.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listJobs as readPage } from "../../shared/store/jobs/list-jobs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listJobs = defineOperation({
  method: "get",
  path: "/v1/jobs",
  name: "list_jobs",
  area: "Jobs",
  scope: "jobs:read",
  summary: "Jobs, newest first",
  description: "Use it to see what runs by the clock, and when next.",
  request: { query: jobListQuery },
  responses: { 200: { description: "A page of jobs", schema: pageOf(jobListItem) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, include, ...rest } = query;
    const filter = { ...rest, with_input: include.includes("input_payload") };
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
