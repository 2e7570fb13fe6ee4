import { notFound } from "../../shared/domain/errors/app-error.ts";
import { webhookParams, webhookPatch, webhookRecord } from "../../shared/schemas/webhook.ts";
import { patchWebhook } from "../../shared/store/webhooks/change-webhook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkEvents } from "./check-events.ts";
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
    "The body is a merge patch (RFC 7396). Pending deliveries go to the new URL. A key that changes the URL or the events needs the scopes of all events that the webhook has and will have, as one that makes a webhook does. A paused webhook gets no events of the time of the pause, and its pending deliveries wait.",
  request: { params: webhookParams, body: webhookPatch },
  responses: { 200: { description: "The webhook", schema: webhookRecord } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { webhook_id }, body: patch, caller }) {
    if (patch.url !== undefined) checkUrl(patch.url, config.callbacks.allowCidrs);
    const isRedirected = patch.url !== undefined || patch.events !== undefined;
    const check = (events: readonly string[]): void => (isRedirected ? checkEvents(caller, events) : undefined);
    const body = await patchWebhook(db, webhook_id, { owner: caller.owner, patch, check });
    if (!body) throw notFound("webhook", webhook_id);
    return { status: 200, body };
  },
});
