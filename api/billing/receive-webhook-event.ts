import { z } from "zod";
import { AppError, unavailable } from "../../shared/domain/errors/app-error.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { applyEvent } from "./apply-event.ts";
import { toEvent } from "./to-event.ts";
import { verifyEvent } from "./verify-event.ts";

/** Real events have a few KiB. */
const maxBytes = 256 * 1024;

export const receiveWebhookEvent = defineOperation({
  method: "post",
  path: "/v1/billing/webhook-event",
  name: "webhook_event",
  area: "Billing",
  scope: "public",
  audit: { none: "The event is kept with what was made of it, and money moves through the ledger." },
  summary: "Receive an event of the payment provider",
  description:
    "For Stripe's webhooks. The header `Stripe-Signature` must sign the body with one of the secrets in `STRIPE_WEBHOOK_SECRET`, else the answer is 400 `invalid_signature`. Each event is stored once and applied in one transaction. Any order and any repetition of events lead to the same state. A signed event that can't be read is kept aside (200), the admins are notified, and `POST /v1/billing/events/{event_id}/reapply` reads it again. Without a configured secret the answer is 503 `no_webhook_secret`.",
  request: {
    headers: z.object({
      "stripe-signature": z.string().optional().meta({ description: "Stripe's signature of the body's bytes." }),
    }),
  },
  rawBody: { most_bytes: maxBytes },
  errors: ["invalid_signature", "invalid_event", "no_webhook_secret", "rate_limited", "dependency_unavailable"],
  responses: {
    200: {
      description: "The event was stored",
      schema: z
        .object({ received: z.literal(true), duplicate: z.boolean().optional() })
        .meta({ id: "WebhookEventReceived", example: { received: true } }),
    },
  },
  async handle(
    { config, db, log, guards }: Pick<ApiContext, "config" | "log" | "db" | "guards">,
    { body, headers, ip },
  ) {
    // The operation is public, so it is limited by address here.
    await guards.limiter.count(`ip:${ip}`);
    const secrets = config.billing.webhookSecrets;
    if (secrets.length === 0)
      throw unavailable(
        "no_webhook_secret",
        "The payment provider's events can't be verified. Set STRIPE_WEBHOOK_SECRET.",
        60,
      );
    verifyEvent(body, headers["stripe-signature"], { secrets, now: await readClock(db) });
    const event = toEvent(parseObject(body), new Date());
    if (!event) throw invalid();
    if (event.error !== null)
      log.warn({ event_id: event.event_id, err: event.error }, "a billing event could not be read and is kept aside");
    const isNew = await applyEvent(db, event);
    return { status: 200, body: { received: true as const, ...(isNew ? {} : { duplicate: true }) } };
  },
});

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw invalid();
  }
}

const invalid = () =>
  new AppError("bad_request", "invalid_event", "The body is not an event of the payment provider in JSON.");
