import { jobParams } from "../../shared/schemas/job.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { runListItem } from "../../shared/schemas/run.ts";
import { listRuns } from "../../shared/store/runs/read/list-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { getJobRecord } from "./get-job.ts";

export const listJobRuns = defineOperation({
  method: "get",
  path: "/v1/jobs/{job_id}/runs",
  name: "list_job_runs",
  area: "Jobs",
  scope: "jobs:read",
  summary: "A job's runs, newest first",
  description:
    "Use it to see what the ticks of a job came to. `GET /v1/jobs/{job_id}/ticks` also lists those without a run.",
  request: { params: jobParams, query: runListQuery.omit({ job_id: true }) },
  responses: { 200: { description: "A page of runs", schema: pageOf(runListItem) } },
  async handle(ctx: Pick<ApiContext, "db">, { params: { job_id }, query, caller }) {
    await getJobRecord(ctx, job_id, caller.owner);
    const { limit, after, order, ...filter } = query;
    const page = await listRuns(ctx.db, caller.owner, { ...filter, job_id }, { limit, after, order });
    return { status: 200, body: page };
  },
});
