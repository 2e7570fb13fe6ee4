import { jobBody, jobRecord } from "../../shared/schemas/job.ts";
import {
  createJob as create,
  type CreateJobDeps,
  createJobErrors,
} from "../../shared/services/schedules/create-job.ts";
import { defineOperation } from "../http/define-operation.ts";
import { getJobRecord } from "./get-job.ts";

export const createJob = defineOperation({
  method: "post",
  path: "/v1/jobs",
  name: "create_job",
  area: "Jobs",
  scope: "jobs:write",
  idempotent: true,
  audit: "job",
  summary: "Schedule runs of an agent",
  description:
    "A job is an execute request with a schedule: a cron expression in a time zone, an interval, a single time, or once now. Cron uses the zone's local time: a time that is skipped when the clocks go forward fires right after the jump, and a time that occurs twice fires the first time. Each tick fires once, whatever the number of workers, and makes a run of its own (`origin: job`).",
  request: { body: jobBody },
  errors: createJobErrors,
  responses: { 201: { description: "The job", schema: jobRecord } },
  async handle(ctx: CreateJobDeps, { body, caller }) {
    const id = await create(ctx, body, caller.owner);
    return { status: 201, body: await getJobRecord(ctx, id, caller.owner), headers: { Location: `/v1/jobs/${id}` } };
  },
});
