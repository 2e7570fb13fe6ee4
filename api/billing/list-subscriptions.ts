import { subscriptionQuery, subscriptionRecord } from "../../shared/schemas/billing.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listSubscriptions as readPage } from "../../shared/store/billing/subscriptions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listSubscriptions = defineOperation({
  method: "get",
  path: "/v1/billing/subscriptions",
  name: "list_subscriptions",
  area: "Billing",
  scope: "billing:read",
  summary: "Subscriptions, newest first",
  description: "Use it to see what a user has subscribed to, ended subscriptions too.",
  request: { query: subscriptionQuery },
  responses: { 200: { description: "A page of the list", schema: pageOf(subscriptionRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
