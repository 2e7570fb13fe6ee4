import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { subscriptionParams, subscriptionRecord } from "../../shared/schemas/billing.ts";
import { readSubscription } from "../../shared/store/billing/subscriptions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { askProvider, providerErrors } from "./ask-provider.ts";

export const resumeSubscription = defineOperation({
  method: "post",
  path: "/v1/billing/subscriptions/{subscription_id}/resume",
  name: "resume_subscription",
  area: "Billing",
  scope: "billing:write",
  audit: "subscription",
  summary: "Take a cancellation back, or go on after a pause",
  description: "The payment provider is asked (202); its event changes the record. What has ended is taken anew (409).",
  request: { params: subscriptionParams },
  errors: ["subscription_canceled", ...providerErrors],
  responses: {
    200: { description: "It is in force", schema: subscriptionRecord },
    202: { description: "The provider was asked", schema: subscriptionRecord },
  },
  async handle({ config, db }: ApiContext, { params: { subscription_id: id }, caller }) {
    const found = await readSubscription(db, id, caller.owner);
    if (!found) throw notFound("subscription", id);
    if (found.status === "canceled") throw conflict("subscription_canceled", "The subscription has ended.");
    if (found.provider_subscription_id === null) return { status: 200, body: found };
    await askProvider(config.billing, ({ subscriptions }) =>
      found.status === "paused" ? subscriptions.resume(id) : subscriptions.update(id, { cancel_at_period_end: false }),
    );
    return { status: 202, body: found };
  },
});
