import { usageQuery, usageRecord } from "../../shared/schemas/billing.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listUsage as readPage } from "../../shared/store/billing/list-usage.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listUsage = defineOperation({
  method: "get",
  path: "/v1/billing/usage",
  name: "list_usage",
  area: "Billing",
  scope: "billing:read",
  summary: "The usage and cost of each run, newest first",
  description: "Use it to explain a bill: what each run used and what that cost.",
  request: { query: usageQuery },
  responses: { 200: { description: "A page of the list", schema: pageOf(usageRecord) } },
  handle: ({ read }: Pick<ApiContext, "read">, { query, caller }) =>
    read(async (db) => {
      const { limit, after, order, ...filter } = query;
      return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
    }),
});
