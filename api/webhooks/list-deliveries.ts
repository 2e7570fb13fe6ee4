import { notFound } from "../../shared/domain/errors/app-error.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { deliveryListQuery, deliveryRecord, webhookParams } from "../../shared/schemas/webhook.ts";
import { listDeliveries as readPage } from "../../shared/store/webhooks/deliveries.ts";
import { readWebhook } from "../../shared/store/webhooks/read-webhooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listDeliveries = defineOperation({
  method: "get",
  path: "/v1/webhooks/{webhook_id}/deliveries",
  name: "list_webhook_deliveries",
  area: "Webhooks",
  scope: "notifications:read",
  summary: "What a webhook was sent",
  description: "And what it is still to be sent, each with its tries; newest first. No bodies are kept of the answers.",
  request: { params: webhookParams, query: deliveryListQuery },
  responses: { 200: { description: "A page of deliveries", schema: pageOf(deliveryRecord) } },
  async handle({ db }: ApiContext, { params: { webhook_id }, query, caller }) {
    if (!(await readWebhook(db, webhook_id, caller.owner))) throw notFound("webhook", webhook_id);
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, webhook_id, filter, { limit, after, order }) };
  },
});
