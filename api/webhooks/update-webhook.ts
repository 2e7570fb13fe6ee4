import { notFound } from "../../shared/domain/errors/app-error.ts";
import { webhookParams, webhookPatch, webhookRecord } from "../../shared/schemas/webhook.ts";
import { patchWebhook } from "../../shared/store/webhooks/change-webhook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkUrl } from "./check-url.ts";

export const updateWebhook = defineOperation({
  method: "patch",
  path: "/v1/webhooks/{webhook_id}",
  name: "update_webhook",
  area: "Webhooks",
  scope: "notifications:write",
  audit: "webhook",
  summary: "Change a webhook",
  description:
    "The body is a merge patch (RFC 7396). Pending deliveries go to the new URL. A paused webhook gets no events of the time of the pause, and its pending deliveries wait.",
  request: { params: webhookParams, body: webhookPatch },
  responses: { 200: { description: "The webhook", schema: webhookRecord } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { webhook_id }, body: patch, caller }) {
    if (patch.url !== undefined) checkUrl(patch.url, config.callbacks.allowCidrs);
    const body = await patchWebhook(db, webhook_id, caller.owner, patch);
    if (!body) throw notFound("webhook", webhook_id);
    return { status: 200, body };
  },
});
