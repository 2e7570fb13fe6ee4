import { z } from "zod";
import { internalJobs } from "../../shared/internal-jobs/internal-jobs.ts";
import { internalJobInfo } from "../../shared/schemas/internal-job.ts";
import { readLastTurns } from "../../shared/store/internal-jobs/read-turns.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listInternalJobs = defineOperation({
  method: "get",
  path: "/v1/internal/jobs",
  name: "list_internal_jobs",
  area: "Internal",
  scope: "internal",
  summary: "The service's own chores, each with its last turn",
  description: "Workers do them on a clock (`every_ms`); each can be asked for at any time as well.",
  responses: {
    200: {
      description: "The jobs",
      schema: z.object({ data: z.array(internalJobInfo) }).meta({ id: "InternalJobs" }),
      example: {
        data: [
          {
            name: "purge-transcripts",
            summary: "Deletes what is no longer kept.",
            every_ms: 600_000,
            last_run: {
              id: "turn_0190a1b2c3d4e5f60718293a4b5c6d7e",
              name: "purge-transcripts",
              status: "success",
              triggered_by: "clock",
              dry_run: false,
              result: { transcripts: 12, outbox: 3 },
              error: null,
              started_at: "2026-01-01T00:00:00.000Z",
              finished_at: "2026-01-01T00:00:00.120Z",
              duration_ms: 120,
            },
          },
        ],
      },
    },
  },
  async handle({ db }: ApiContext) {
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
