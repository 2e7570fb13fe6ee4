import { notFound } from "../../shared/domain/errors/app-error.ts";
import { deliveryRecord, redeliverBody, webhookParams } from "../../shared/schemas/webhook.ts";
import { redeliverDelivery as redeliver } from "../../shared/store/webhooks/deliveries.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const redeliverDelivery = defineOperation({
  method: "post",
  path: "/v1/webhooks/{webhook_id}/redeliver",
  name: "redeliver_webhook_delivery",
  area: "Webhooks",
  scope: "notifications:write",
  audit: "webhook",
  summary: "Send a delivery again",
  description: "The delivery is sent with the same `webhook-id`, even if it succeeded before.",
  request: { params: webhookParams, body: redeliverBody },
  errors: ["delivery_not_found"],
  responses: { 202: { description: "The delivery is due now", schema: deliveryRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { webhook_id }, body: { delivery_id }, caller }) {
    const body = await redeliver(db, { webhook_id, delivery_id }, caller.owner);
    if (!body) throw notFound("delivery", delivery_id);
    return { status: 202, body };
  },
});
