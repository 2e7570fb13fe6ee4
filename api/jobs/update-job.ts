import type { z } from "zod";
import { versionErrors } from "../../shared/services/runs/check-version.ts";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { mergePatch } from "../../shared/domain/json/merge-patch.ts";
import { type JobBody, jobBody, jobParams, jobPatch, jobRecord } from "../../shared/schemas/job.ts";
import { changeJob, findJob } from "../../shared/store/jobs/change-job.ts";
import { type JobRow, jobToBody } from "../../shared/store/jobs/job-columns.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { faultItems } from "../http/validation-error.ts";
import { checkJob } from "../../shared/services/schedules/check-job.ts";
import { rewriteJob } from "../../shared/services/schedules/rewrite-job.ts";
import { getJobRecord } from "./get-job.ts";

type JobPatch = z.infer<typeof jobPatch>;

export const updateJob = defineOperation({
  method: "patch",
  path: "/v1/jobs/{job_id}",
  name: "update_job",
  area: "Jobs",
  scope: "jobs:write",
  audit: "job",
  summary: "Change a job's request and schedule",
  description:
    "The body is a merge patch (RFC 7396) of the body of `POST /v1/jobs`. A new schedule counts from now on; a tick that is due already still fires. Existing runs do not change. A completed or cancelled job is a 409.",
  request: { params: jobParams, body: jobPatch },
  errors: ["job_not_found", "job_ended", ...versionErrors, "thread_not_found"],
  responses: { 200: { description: "The job", schema: jobRecord } },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "ticks" | "jsonSchemas">,
    { params: { job_id }, body: patch, caller },
  ) {
    const seen = await findJob(ctx.db, job_id, caller.owner);
    if (!seen) throw notFound("job", job_id);
    await checkJob(ctx, patched(ctx, seen, patch), caller.owner);
    const done = await changeJob(ctx.db, job_id, caller.owner, (job, now) =>
      rewriteJob(ctx.config.encryptionKeys, job, { now, body: patched(ctx, job, patch) }),
    );
    if (!done) throw notFound("job", job_id);
    const body = await getJobRecord(ctx, job_id, caller.owner);
    if (body.next_tick_at !== null) void ctx.ticks.arm(job_id, new Date(body.next_tick_at));
    return { status: 200, body };
  },
});

/** Returns the body that would create the patched job. Throws ValidationFault. */
function patched({ config }: Pick<ApiContext, "config">, job: JobRow, patch: JobPatch): JobBody {
  const merged = mergePatch(jobToBody(config.encryptionKeys, job), patch);
  const parsed = jobBody.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw new ValidationFault(faultItems(parsed.error.issues, "body", merged));
}
