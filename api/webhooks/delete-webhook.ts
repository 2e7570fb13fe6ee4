import { notFound } from "../../shared/domain/errors/app-error.ts";
import { webhookParams } from "../../shared/schemas/webhook.ts";
import { deleteWebhook as remove } from "../../shared/store/webhooks/change-webhook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteWebhook = defineOperation({
  method: "delete",
  path: "/v1/webhooks/{webhook_id}",
  name: "delete_webhook",
  area: "Webhooks",
  scope: "notifications:write",
  audit: "webhook",
  summary: "Delete a webhook",
  description: "Deletes the webhook with its secrets and deliveries, including those that were not sent yet.",
  request: { params: webhookParams },
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { webhook_id }, caller }) {
    if (!(await remove(db, webhook_id, caller.owner))) throw notFound("webhook", webhook_id);
    return { status: 204 };
  },
});
