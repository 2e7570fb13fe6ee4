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
  summary: "Resume a subscription",
  description:
    "Withdraws a cancellation, or ends a pause. A subscription at the payment provider is changed there (202), and the provider's event changes the record. An ended subscription is a 409; subscribe again.",
  request: { params: subscriptionParams },
  errors: ["subscription_canceled", ...providerErrors],
  responses: {
    200: { description: "The subscription is active", schema: subscriptionRecord },
    202: { description: "The payment provider was asked to change the subscription", schema: subscriptionRecord },
  },
  async handle({ db, ...ctx }: Pick<ApiContext, "config" | "db" | "log">, { params: { subscription_id: id }, caller }) {
    const found = await readSubscription(db, id, caller.owner);
    if (!found) throw notFound("subscription", id);
    if (found.status === "canceled")
      throw conflict("subscription_canceled", "The subscription has ended. Subscribe again.");
    if (found.provider_subscription_id === null) return { status: 200, body: found };
    await askProvider(ctx, ({ subscriptions }) =>
      found.status === "paused" ? subscriptions.resume(id) : subscriptions.update(id, { cancel_at_period_end: false }),
    );
    return { status: 202, body: found };
  },
});
