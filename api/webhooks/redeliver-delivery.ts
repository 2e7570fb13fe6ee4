import { notFound } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { rangeFault } from "../../shared/schemas/redelivery.ts";
import { mostRedelivered, redeliverBody, redelivered, webhookParams } from "../../shared/schemas/webhook.ts";
import { redeliverAll, redeliverDelivery as redeliver } from "../../shared/store/webhooks/deliveries.ts";
import { readWebhook } from "../../shared/store/webhooks/read-webhooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

const example = {
  object: "redelivery",
  redelivered: 12,
  has_more: false,
  last_id: "msg_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
};

export const redeliverDelivery = defineOperation({
  method: "post",
  path: "/v1/webhooks/{webhook_id}/redeliver",
  name: "redeliver_webhook_delivery",
  area: "Webhooks",
  scope: "notifications:write",
  audit: "webhook",
  summary: "Send one delivery again, or all since a time",
  description: `A delivery is sent with the same \`webhook-id\`, even if it succeeded before. With \`since\` those of a time and a status are, oldest first, at most ${mostRedelivered} a request: send \`last_id\` as \`after\` while the answer says \`has_more\`.`,
  request: { params: webhookParams, body: redeliverBody },
  errors: ["delivery_not_found", "webhook_not_found"],
  responses: { 202: { description: "What is due now: the delivery, or how many", schema: redelivered, example } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { webhook_id }, body: asked, caller }) {
    const { delivery_id, since, until, status, after } = asked;
    if ((delivery_id == null) === (since == null)) throw new ValidationFault([rangeFault]);
    if (delivery_id != null) {
      const body = await redeliver(db, { webhook_id, delivery_id }, caller.owner);
      if (!body) throw notFound("delivery", delivery_id);
      return { status: 202, body };
    }
    if (!(await readWebhook(db, webhook_id, caller.owner))) throw notFound("webhook", webhook_id);
    const range = { since: since ?? new Date(0), until: until ?? null, status, after: after ?? null };
    const sent = await redeliverAll(db, webhook_id, { ...range, limit: mostRedelivered });
    return { status: 202, body: { object: "redelivery", ...sent } as const };
  },
});
