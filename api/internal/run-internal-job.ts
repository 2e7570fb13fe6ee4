import { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { internalJobs } from "../../shared/services/maintenance/internal-jobs.ts";
import { runInternalJob as takeTurn } from "../../shared/services/maintenance/run-internal-job.ts";
import { jobTurn } from "../../shared/schemas/internal-job.ts";
import { laxBool, text } from "../../shared/schemas/primitives.ts";
import { readTurn } from "../../shared/store/internal-jobs/read-internal-job-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const runInternalJob = defineOperation({
  method: "post",
  path: "/v1/internal/jobs/{name}",
  name: "run_internal_job",
  area: "Internal",
  scope: "internal",
  audit: "internal_job",
  summary: "Run a maintenance job now",
  description:
    "The answer is the job's result. It comes when the job is done, after at most a minute; the next run of the job does the rest. An unknown name is a 404. 409 `job_running` while the job runs in any process. The result of a failed run has the status `error`.",
  request: {
    params: z.object({ name: text({ max: 128 }).meta({ example: "expire-queue" }) }),
    query: z.object({
      dry_run: laxBool()
        .default(false)
        .meta({ description: "True: nothing is changed, and the result counts what would be changed." }),
    }),
  },
  errors: ["internal_job_not_found", "job_running"],
  responses: {
    200: {
      description: "The finished run of the job",
      schema: jobTurn,
    },
  },
  async handle(
    ctx: Pick<ApiContext, "config" | "log" | "db" | "streams" | "queue" | "leaving">,
    { params: { name }, query: { dry_run }, caller },
  ) {
    const job = internalJobs.find((known) => known.name === name);
    if (!job) throw notFound("internal_job", name);
    const trigger = { triggered_by: caller.actor, dry_run, every_ms: null, signal: ctx.leaving };
    const id = await takeTurn(ctx, job, trigger);
    if (id === null) throw conflict("job_running", `The job '${name}' is running already. Wait until it has ended.`);
    return { status: 200, body: await readTurn(ctx.db, id) };
  },
});
