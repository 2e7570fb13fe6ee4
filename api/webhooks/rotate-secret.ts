import { notFound } from "../../shared/domain/errors/app-error.ts";
import { rotatedSecret, webhookParams } from "../../shared/schemas/webhook.ts";
import { rotateWebhookSecret } from "../../shared/store/webhooks/webhook-secrets.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const rotateSecret = defineOperation({
  method: "post",
  path: "/v1/webhooks/{webhook_id}/rotate",
  name: "rotate_webhook_secret",
  area: "Webhooks",
  scope: "notifications:write",
  idempotent: true,
  audit: "webhook",
  summary: "Create a new secret for a webhook",
  description:
    "The secret is only shown in this answer. Deliveries are also signed with the two secrets before for 24 hours, so that the receiver can switch.",
  request: { params: webhookParams },
  responses: { 201: { description: "The secret", schema: rotatedSecret } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { webhook_id }, caller }) {
    const secret = await rotateWebhookSecret(db, config.encryptionKeys, webhook_id, caller.owner);
    if (secret === null) throw notFound("webhook", webhook_id);
    return { status: 201, body: { webhook_id, secret } };
  },
});
