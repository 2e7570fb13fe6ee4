import { notFound } from "../../shared/domain/errors/app-error.ts";
import { subscriptionParams, subscriptionRecord } from "../../shared/schemas/billing.ts";
import { readSubscription } from "../../shared/store/billing/subscriptions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getSubscription = defineOperation({
  method: "get",
  path: "/v1/billing/subscriptions/{subscription_id}",
  name: "get_subscription",
  area: "Billing",
  scope: "billing:read",
  summary: "A subscription",
  description: "Use it to see whether a subscription is active, and until when.",
  request: { params: subscriptionParams },
  responses: { 200: { description: "The subscription", schema: subscriptionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { subscription_id }, caller }) {
    const body = await readSubscription(db, subscription_id, caller.owner);
    if (!body) throw notFound("subscription", subscription_id);
    return { status: 200, body };
  },
});
