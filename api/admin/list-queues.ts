import { z } from "zod";
import { queueState } from "../../shared/schemas/admin.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readQueueStates } from "./queue-states.ts";

export const listQueues = defineOperation({
  method: "get",
  path: "/v1/admin/queues",
  name: "list_queues",
  area: "Admin",
  scope: "admin",
  summary: "The queues of runs and callbacks",
  description: "Use it to see whether work piles up, and whether somebody paused a queue.",
  responses: {
    200: {
      description: "The queues",
      schema: z
        .object({ data: z.array(queueState) })
        .meta({ id: "Queues", example: { data: [exampleOf(queueState)] } }),
    },
  },
  async handle(ctx: Pick<ApiContext, "db" | "queue">) {
    return { status: 200, body: { data: await readQueueStates(ctx) } };
  },
});
