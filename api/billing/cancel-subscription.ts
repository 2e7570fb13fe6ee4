import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { subscriptionParams, subscriptionRecord } from "../../shared/schemas/billing.ts";
import { laxBool } from "../../shared/schemas/primitives.ts";
import { endSubscription, readSubscription } from "../../shared/store/billing/subscriptions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { askProvider, providerErrors } from "./ask-provider.ts";

export const cancelSubscription = defineOperation({
  method: "post",
  path: "/v1/billing/subscriptions/{subscription_id}/cancel",
  name: "cancel_subscription",
  area: "Billing",
  scope: "billing:write",
  audit: "subscription",
  summary: "Cancel a subscription",
  description:
    "The subscription ends with the paid period, or at once with `at_once`. A subscription at the payment provider is changed there (202), and the provider's event changes the record. One that was created here ends at once (200).",
  request: {
    params: subscriptionParams,
    query: z.object({
      at_once: laxBool()
        .default(false)
        .meta({ description: "True: the subscription ends now instead of at the end of the period." }),
    }),
  },
  errors: providerErrors,
  responses: {
    200: { description: "The subscription has ended", schema: subscriptionRecord },
    202: { description: "The payment provider was asked to change the subscription", schema: subscriptionRecord },
  },
  async handle(
    { db, ...ctx }: Pick<ApiContext, "config" | "db" | "log">,
    { params: { subscription_id: id }, query: { at_once }, caller },
  ) {
    const found = await readSubscription(db, id, caller.owner);
    if (!found) throw notFound("subscription", id);
    if (found.status === "canceled") return { status: 200, body: found };
    if (found.provider_subscription_id !== null) {
      await askProvider(ctx, ({ subscriptions }) =>
        at_once ? subscriptions.cancel(id) : subscriptions.update(id, { cancel_at_period_end: true }),
      );
      return { status: 202, body: found };
    }
    await endSubscription(db, found);
    return { status: 200, body: (await readSubscription(db, id, caller.owner)) ?? found };
  },
});
