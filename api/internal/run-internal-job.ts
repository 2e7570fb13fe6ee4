import { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { internalJobs } from "../../shared/services/maintenance/internal-jobs.ts";
import { runInternalJob as takeTurn } from "../../shared/services/maintenance/run-internal-job.ts";
import { jobTurn } from "../../shared/schemas/internal-job.ts";
import { laxBool, text } from "../../shared/schemas/primitives.ts";
import { readTurn } from "../../shared/store/internal-jobs/read-job-turns.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const runInternalJob = defineOperation({
  method: "post",
  path: "/v1/internal/jobs/{name}",
  name: "run_internal_job",
  area: "Internal",
  scope: "internal",
  audit: "internal_job",
  summary: "Do one of the service's own chores now",
  description:
    "Answers what came of it once it is done, after a minute at most: what is left then is for its next turn. 404 for a name that there isn't, 409 `job_running` while a turn is under way anywhere. A turn that fails is answered with status `error`.",
  request: {
    params: z.object({ name: text({ max: 128 }).meta({ example: "expire-queue" }) }),
    query: z.object({
      dry_run: laxBool().default(false).meta({ description: "Change nothing, and count what there is to do." }),
    }),
  },
  errors: ["internal_job_not_found", "job_running"],
  responses: {
    200: {
      description: "The turn, over",
      schema: jobTurn,
    },
  },
  async handle(ctx: ApiContext, { params: { name }, query: { dry_run }, caller }) {
    const job = internalJobs.find((known) => known.name === name);
    if (!job) throw notFound("internal_job", name);
    const trigger = { triggered_by: caller.actor, dry_run, every_ms: null, signal: ctx.leaving };
    const id = await takeTurn(ctx, job, trigger);
    if (id === null) throw conflict("job_running", `A turn of '${name}' is under way.`);
    return { status: 200, body: await readTurn(ctx.db, id) };
  },
});
