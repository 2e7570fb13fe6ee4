import { versionErrors } from "../../shared/services/runs/choose-version.ts";
import { newId } from "../../shared/platform/ids.ts";
import { conflict } from "../../shared/domain/errors/app-error.ts";
import { jobBody, jobRecord } from "../../shared/schemas/job.ts";
import { createJob as create } from "../../shared/store/jobs/change-job.ts";
import { jobColumns } from "../../shared/store/jobs/job-columns.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkJob, firstTickOf } from "./check-job.ts";
import { getJobRecord } from "./get-job.ts";

export const createJob = defineOperation({
  method: "post",
  path: "/v1/jobs",
  name: "create_job",
  area: "Jobs",
  scope: "jobs:write",
  idempotent: true,
  audit: "job",
  summary: "Run an agent by a schedule, or later",
  description:
    "An execute request and when to make it: by a cron expression in a time zone, each so often, once at a time, or once now. Cron goes by the zone's clocks: a named time that they skip fires when they have jumped, one that they show twice fires the first time. Each tick fires once, however many workers there are, and makes a run of its own (`origin: job`).",
  request: { body: jobBody },
  errors: [...versionErrors, "thread_not_found", "too_many_jobs"],
  responses: { 201: { description: "The job", schema: jobRecord } },
  async handle(ctx: ApiContext, { body, caller }) {
    const { user_id } = await checkJob(ctx, body, caller.owner);
    const next_tick_at = firstTickOf(body, await readClock(ctx.db));
    const id = newId("job");
    const columns = jobColumns(ctx.config.encryptionKeys, id, body);
    const job = { id, user_id, agent_id: body.agent_id, columns, next_tick_at };
    if (!(await create(ctx.db, job, ctx.config.perUser.jobs)))
      throw conflict("too_many_jobs", `As many jobs of '${user_id}' have not ended as may be.`);
    void ctx.ticks.arm(id, next_tick_at);
    return { status: 201, body: await getJobRecord(ctx, id, caller.owner), headers: { Location: `/v1/jobs/${id}` } };
  },
});
