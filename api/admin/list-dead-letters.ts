import { deadLetter, deadLetterQuery } from "../../shared/schemas/admin.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listDeadLetters as readPage } from "../../shared/store/outbox/list-dead-letters.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listDeadLetters = defineOperation({
  method: "get",
  path: "/v1/admin/dead-letters",
  name: "list_dead_letters",
  area: "Admin",
  scope: "admin",
  summary: "Callbacks and webhook deliveries that were given up, newest first",
  description: "`POST /v1/runs/{run_id}/callbacks/redeliver` sends the callback of a run again.",
  request: { query: deadLetterQuery },
  responses: { 200: { description: "A page of messages", schema: pageOf(deadLetter) } },
  async handle({ db }: Pick<ApiContext, "db">, { query }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, filter, { limit, after, order }) };
  },
});
