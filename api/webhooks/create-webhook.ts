import { conflict } from "../../shared/domain/errors/app-error.ts";
import { newWebhook, webhookBody } from "../../shared/schemas/webhook.ts";
import { insertWebhook } from "../../shared/store/webhooks/change-webhook.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkUrl } from "./check-url.ts";

export const createWebhook = defineOperation({
  method: "post",
  path: "/v1/webhooks",
  name: "create_webhook",
  area: "Webhooks",
  scope: "notifications:write",
  idempotent: true,
  audit: "webhook",
  summary: "Have events sent to a URL",
  description:
    "Each event that happens from now on and that `events` names is POSTed with Standard Webhooks headers, `webhook-id` the same at every try: `run.*` when a run ends or asks a person, with the body of a run's callback; `daemon.*` when a daemon's status changes; `notification.*` for each notification. 2xx is done, 410 disables the webhook, else there are 10 tries over 75 hours; deliveries given up for five days on end disable it, too. The secret is shown this once.",
  request: { body: webhookBody },
  errors: ["foreign_user_id", "too_many_webhooks"],
  responses: { 201: { description: "The webhook and its secret", schema: newWebhook } },
  async handle({ db, config }: ApiContext, { body, caller }) {
    checkUrl(body.url, config.callbacks.allowCidrs);
    const { url, events, description = null } = body;
    const user_id = ownerOf(caller, body.user_id);
    const webhook = { url, events, user_id, description, metadata: body.metadata ?? {} };
    const made = await insertWebhook(db, config.encryptionKeys, webhook, config.perUser.webhooks);
    if (!made) throw conflict("too_many_webhooks", `'${user_id}' has as many webhooks as one may have.`);
    return { status: 201, body: made };
  },
});
