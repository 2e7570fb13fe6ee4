import { notFound } from "../../shared/domain/errors/app-error.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { deliveryListQuery, deliveryRecord, webhookParams } from "../../shared/schemas/webhook.ts";
import { listDeliveries as readPage } from "../../shared/store/webhooks/deliveries.ts";
import { readWebhook } from "../../shared/store/webhooks/read-webhooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { hideAnswerUrls } from "../http/hide-answer-urls.ts";

export const listDeliveries = defineOperation({
  method: "get",
  path: "/v1/webhooks/{webhook_id}/deliveries",
  name: "list_webhook_deliveries",
  area: "Webhooks",
  scope: "notifications:read",
  summary: "A webhook's deliveries, newest first",
  description:
    "Lists past and pending deliveries with their attempts, and with `include=payload` the bodies that are sent. The bodies of answers are not stored. The addresses for answers are shown to a key with `runs:write`.",
  request: { params: webhookParams, query: deliveryListQuery },
  responses: { 200: { description: "A page of deliveries", schema: pageOf(deliveryRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { webhook_id }, query, caller }) {
    if (!(await readWebhook(db, webhook_id, caller.owner))) throw notFound("webhook", webhook_id);
    const { limit, after, order, ...filter } = query;
    const page = await readPage(db, webhook_id, filter, { limit, after, order });
    const data = page.data.map((one) => (one.payload ? { ...one, payload: hideAnswerUrls(caller, one.payload) } : one));
    return { status: 200, body: { ...page, data } };
  },
});
