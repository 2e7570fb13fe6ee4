import { queueParams, queueState } from "../../shared/schemas/admin.ts";
import { pauseQueue as pause } from "../../shared/store/queues/pauses.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { queueNamed, readQueueState } from "./queue-states.ts";

export const pauseQueue = defineOperation({
  method: "post",
  path: "/v1/admin/queues/{queue_id}/pause",
  name: "pause_queue",
  area: "Admin",
  scope: "admin",
  audit: "queue",
  summary: "Pause a queue",
  description:
    "`runs`: workers start no runs; new runs are accepted and wait, and their streams say so. `callbacks`: none is sent. Running runs and deliveries continue.",
  request: { params: queueParams },
  responses: { 200: { description: "The queue", schema: queueState } },
  async handle(ctx: Pick<ApiContext, "db" | "queue">, { params, caller }) {
    const name = queueNamed(params.queue_id);
    await pause(ctx.db, name, caller.actor);
    return { status: 200, body: await readQueueState(ctx, name) };
  },
});
