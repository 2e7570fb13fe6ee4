import { notFound } from "../../shared/domain/errors/app-error.ts";
import { webhookParams, webhookRecord } from "../../shared/schemas/webhook.ts";
import { readWebhook } from "../../shared/store/webhooks/read-webhooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getWebhook = defineOperation({
  method: "get",
  path: "/v1/webhooks/{webhook_id}",
  name: "get_webhook",
  area: "Webhooks",
  scope: "notifications:read",
  summary: "A webhook",
  description: "The answer has its status and, if the service disabled it, the reason.",
  request: { params: webhookParams },
  responses: { 200: { description: "The webhook", schema: webhookRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { webhook_id }, caller }) {
    const body = await readWebhook(db, webhook_id, caller.owner);
    if (!body) throw notFound("webhook", webhook_id);
    return { status: 200, body };
  },
});
