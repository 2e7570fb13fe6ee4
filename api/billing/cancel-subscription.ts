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
    "At the end of what is paid, or at once. One that the payment provider keeps is changed there (202); its event changes the record. One that was made here ends at once (200).",
  request: {
    params: subscriptionParams,
    query: z.object({ at_once: laxBool().default(false).meta({ description: "Don't wait for the period's end." }) }),
  },
  errors: providerErrors,
  responses: {
    200: { description: "It has ended", schema: subscriptionRecord },
    202: { description: "The provider was asked", schema: subscriptionRecord },
  },
  async handle({ config, db }: ApiContext, { params: { subscription_id: id }, query: { at_once }, caller }) {
    const found = await readSubscription(db, id, caller.owner);
    if (!found) throw notFound("subscription", id);
    if (found.status === "canceled") return { status: 200, body: found };
    if (found.provider_subscription_id !== null) {
      await askProvider(config.billing, ({ subscriptions }) =>
        at_once ? subscriptions.cancel(id) : subscriptions.update(id, { cancel_at_period_end: true }),
      );
      return { status: 202, body: found };
    }
    await endSubscription(db, found);
    return { status: 200, body: (await readSubscription(db, id, caller.owner)) ?? found };
  },
});
