import { cancelRuns } from "../../shared/services/runs/cancel-run.ts";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { jobParams, jobRecord } from "../../shared/schemas/job.ts";
import { changeJob } from "../../shared/store/jobs/change-job.ts";
import { askToCancelJob } from "../../shared/store/jobs/job-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { getJobRecord } from "./get-job.ts";

export const cancelJob = defineOperation({
  method: "post",
  path: "/v1/jobs/{job_id}/cancel",
  name: "cancel_job",
  area: "Jobs",
  scope: "jobs:write",
  audit: "job",
  summary: "Cancel a job and its runs that have not ended",
  description:
    "A cancelled job can't be resumed; to stop it for a while, pause it. A completed job stays completed, and its runs are cancelled. They end a little later.",
  request: { params: jobParams },
  responses: { 200: { description: "The job", schema: jobRecord } },
  async handle(ctx: Pick<ApiContext, "db" | "streams" | "queue">, { params: { job_id }, caller }) {
    const done = await changeJob(ctx.db, job_id, caller.owner, ({ status }) =>
      status === "active" || status === "paused" ? { status: "cancelled", next_tick_at: null } : null,
    );
    if (!done) throw notFound("job", job_id);
    // No tick can fire after this point.
    const open = await askToCancelJob(ctx.db.sql, job_id, { except: null, by: caller.actor });
    // Whatever fails here is done by the internal job.
    void cancelRuns(ctx, open, caller).catch(() => undefined);
    return { status: 200, body: await getJobRecord(ctx, job_id, caller.owner) };
  },
});
