import { queueParams, queueState } from "../../shared/schemas/admin.ts";
import { nudgeRuns } from "../../shared/services/runs/nudge-run.ts";
import { resumeQueue as resume } from "../../shared/store/queues/pauses.ts";
import { findQueuedRuns } from "../../shared/store/runs/queue/find-queued-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { queueNamed, readQueueState } from "./queue-states.ts";

/** So many queued runs are nudged again, since their nudges were used up during the pause. Workers find the others by polling. */
const maxNudges = 1_000;

export const resumeQueue = defineOperation({
  method: "post",
  path: "/v1/admin/queues/{queue_id}/resume",
  name: "resume_queue",
  area: "Admin",
  scope: "admin",
  audit: "queue",
  summary: "Resume a queue",
  description: "Ends a pause. What waited goes on in its order.",
  request: { params: queueParams },
  responses: { 200: { description: "The queue", schema: queueState } },
  async handle(ctx: Pick<ApiContext, "db" | "queue">, { params }) {
    const name = queueNamed(params.queue_id);
    await resume(ctx.db, name);
    if (name === "runs") {
      await nudgeRuns(ctx, await findQueuedRuns(ctx.db, null, maxNudges));
    }
    return { status: 200, body: await readQueueState(ctx, name) };
  },
});
