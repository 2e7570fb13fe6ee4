import { conflict } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { newWebhook, webhookBody } from "../../shared/schemas/webhook.ts";
import { insertWebhook } from "../../shared/store/webhooks/change-webhook.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkEvents } from "./check-events.ts";
import { checkUrl } from "./check-url.ts";

export const createWebhook = defineOperation({
  method: "post",
  path: "/v1/webhooks",
  name: "create_webhook",
  area: "Webhooks",
  scope: "notifications:write",
  idempotent: true,
  audit: "webhook",
  summary: "Create a webhook",
  description:
    "Later events that `events` names are sent to the URL by POST with Standard Webhooks headers; `webhook-id` is the same in every attempt. `run.*`: a run has ended or waits for an answer; the body is that of a run's callback. `run.queued` and `run.started`, which must be named: a run was accepted, an attempt has begun; the body is short, and the first ones may be missed for a second after the webhook was made. `daemon.*`: a daemon's status has changed. `notification.*`: a notification was created. An answer 2xx completes a delivery, and 410 disables the webhook. Other answers lead to at most 10 attempts over 75 hours. A webhook whose deliveries only failed for five days is disabled. The secret is only shown in this answer. The key needs `runs:read` for events of runs, `daemons:read` for those of daemons and `notifications:read` for notifications, and `runs:write` where the address for an answer comes along: `run.interrupted`, `notification.run.interrupted` and what includes them.",
  request: { body: webhookBody },
  errors: ["foreign_user_id", "too_many_webhooks"],
  responses: { 201: { description: "The webhook and its secret", schema: newWebhook } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { body, caller }) {
    checkEvents(caller, body.events);
    checkUrl(body.url, config.callbacks.allowCidrs);
    const { url, events, agent_ids, statuses, tags, description = null } = body;
    const user_id = ownerOf(caller, body.user_id);
    const webhook = { url, events, agent_ids, statuses, tags, user_id, description, metadata: body.metadata ?? {} };
    const made = await insertWebhook(db, config.encryptionKeys, webhook, config.perUser.webhooks);
    if (!made) throw conflict("too_many_webhooks", userHasMost("webhooks", config.perUser, user_id));
    return { status: 201, body: made };
  },
});
