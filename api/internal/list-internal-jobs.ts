import { z } from "zod";
import { internalJobs } from "../../shared/services/maintenance/internal-jobs.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { internalJobInfo } from "../../shared/schemas/internal-job.ts";
import { readLastTurns } from "../../shared/store/internal-jobs/read-internal-job-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listInternalJobs = defineOperation({
  method: "get",
  path: "/v1/internal/jobs",
  name: "list_internal_jobs",
  area: "Internal",
  scope: "internal",
  summary: "The maintenance jobs, each with its last run",
  description: "Workers run each job every `every_ms`. A job can also be started by request.",
  responses: {
    200: {
      description: "The jobs",
      schema: z
        .object({ data: z.array(internalJobInfo) })
        .meta({ id: "InternalJobs", example: { data: [exampleOf(internalJobInfo)] } }),
    },
  },
  async handle({ db }: Pick<ApiContext, "db">) {
    const names = internalJobs.map(({ name }) => name);
    const last = await readLastTurns(db, names);
    const data = internalJobs.map(({ name, summary, every_ms }) => ({
      name,
      summary,
      every_ms,
      last_run: last.get(name) ?? null,
    }));
    return { status: 200, body: { data } };
  },
});
