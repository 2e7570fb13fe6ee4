import { jobParams, jobTick, tickListQuery } from "../../shared/schemas/job.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listTicks } from "../../shared/store/jobs/list-ticks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { getJobRecord } from "./get-job.ts";

export const listJobTicks = defineOperation({
  method: "get",
  path: "/v1/jobs/{job_id}/ticks",
  name: "list_job_ticks",
  area: "Jobs",
  scope: "jobs:read",
  summary: "A job's ticks and their outcomes, newest first",
  description: "Of the ticks that were missed in a long downtime, the first 100 and the last one are listed.",
  request: { params: jobParams, query: tickListQuery },
  responses: { 200: { description: "A page of ticks", schema: pageOf(jobTick) } },
  async handle(ctx: Pick<ApiContext, "db">, { params: { job_id }, query, caller }) {
    await getJobRecord(ctx, job_id, caller.owner);
    return { status: 200, body: await listTicks(ctx.db, job_id, query) };
  },
});
