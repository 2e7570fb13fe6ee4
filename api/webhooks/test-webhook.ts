import { notFound } from "../../shared/domain/errors/app-error.ts";
import { deliveryRecord, webhookParams } from "../../shared/schemas/webhook.ts";
import { oweTest } from "../../shared/store/webhooks/deliveries.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const testWebhook = defineOperation({
  method: "post",
  path: "/v1/webhooks/{webhook_id}/test",
  name: "test_webhook",
  area: "Webhooks",
  scope: "notifications:write",
  idempotent: true,
  audit: "webhook",
  summary: "Send a test event to a webhook",
  description:
    "The event has the type `webhook.test` and is sent whatever `events` names. A paused or disabled webhook gets it when it is active again.",
  request: { params: webhookParams },
  responses: { 202: { description: "The delivery is due now", schema: deliveryRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { webhook_id }, caller }) {
    const body = await oweTest(db, webhook_id, caller.owner);
    if (!body) throw notFound("webhook", webhook_id);
    return { status: 202, body };
  },
});
