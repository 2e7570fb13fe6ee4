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
  summary: "Schedule runs of an agent",
  description:
    "A job is an execute request with a schedule: a cron expression in a time zone, an interval, a single time, or once now. Cron uses the zone's local time: a time that is skipped when the clocks go forward fires right after the jump, and a time that occurs twice fires the first time. Each tick fires once, whatever the number of workers, and makes a run of its own (`origin: job`).",
  request: { body: jobBody },
  errors: [...versionErrors, "thread_not_found", "too_many_jobs"],
  responses: { 201: { description: "The job", schema: jobRecord } },
  async handle(ctx: Pick<ApiContext, "config" | "db" | "ticks" | "jsonSchemas">, { body, caller }) {
    const { user_id } = await checkJob(ctx, body, caller.owner);
    const next_tick_at = firstTickOf(body, await readClock(ctx.db));
    const id = newId("job");
    const columns = jobColumns(ctx.config.encryptionKeys, id, body);
    const job = { id, user_id, agent_id: body.agent_id, columns, next_tick_at };
    if (!(await create(ctx.db, job, ctx.config.perUser.jobs)))
      throw conflict(
        "too_many_jobs",
        `The user '${user_id}' has as many active jobs as allowed. Delete or cancel one first.`,
      );
    void ctx.ticks.arm(id, next_tick_at);
    return { status: 201, body: await getJobRecord(ctx, id, caller.owner), headers: { Location: `/v1/jobs/${id}` } };
  },
});
