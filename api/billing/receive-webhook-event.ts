import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import { providerEvent } from "../../shared/schemas/billing-event.ts";
import type { KeptEvent } from "../../shared/store/billing/keep-event.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { applyEvent } from "./apply-event.ts";
import { readEvent } from "./read-event.ts";
import { verifyEvent } from "./verify-event.ts";

/** The provider's are a few KiB. */
const longestBytes = 256 * 1024;

export const receiveWebhookEvent = defineOperation({
  method: "post",
  path: "/v1/billing/webhook-event",
  name: "webhook_event",
  area: "Billing",
  scope: "public",
  summary: "Receive an event of the payment provider",
  description:
    "For Stripe's webhooks. With `STRIPE_WEBHOOK_SECRET` the header `Stripe-Signature` must sign the body (else 400 `invalid_signature`). Each event is kept once and applied in one transaction; any order and any repeats of them end in the same state. Without a secret it is kept as unverified, and moves nothing.",
  request: {
    headers: z.object({
      "stripe-signature": z
        .string()
        .optional()
        .meta({ description: "Stripe's, over the body's bytes as they were sent." }),
    }),
  },
  rawBody: true,
  errors: ["invalid_signature", "invalid_event", "dependency_unavailable"],
  responses: {
    200: {
      description: "Kept",
      schema: z
        .object({ received: z.literal(true), duplicate: z.boolean().optional() })
        .meta({ id: "WebhookEventReceived", example: { received: true } }),
    },
  },
  async handle({ config, db, log, guards }: ApiContext, { body, headers, ip }) {
    // It needs no key, and keeps what it gets.
    await guards.limiter.count(`ip:${ip}`);
    if (body.length > longestBytes)
      throw new AppError("payload_too_large", "payload_too_large", `An event is at most ${longestBytes} bytes.`);
    const secrets = config.billing.webhookSecrets;
    const verified = secrets.length > 0;
    if (verified) verifyEvent(body, headers["stripe-signature"], { secrets, now: await readClock(db) });
    const event = verified ? verifiedEvent(body) : unverifiedEvent(body);
    if (event.error !== null) log.warn({ event_id: event.event_id, err: event.error }, "a billing event can't be read");
    const isNew = await applyEvent(db, event);
    return { status: 200, body: { received: true as const, ...(isNew ? {} : { duplicate: true }) } };
  },
});

function verifiedEvent(body: Buffer): KeptEvent {
  const payload = parseObject(body);
  const read = providerEvent.safeParse(payload);
  if (!read.success) throw invalid();
  const { id: event_id, type, created } = read.data;
  return { event_id, type, created, payload, verified: true, ...readEvent(read.data) };
}

/** Whatever it is: who sent it is not known, and it does nothing. Without an id it is known by its bytes. */
function unverifiedEvent(body: Buffer): KeptEvent {
  const payload = body.length === 0 ? {} : parseObject(body);
  const read = providerEvent.pick({ id: true, type: true }).partial().catch({}).parse(payload);
  const event_id = read.id ?? `unnamed_${createHash("sha256").update(body).digest("hex")}`;
  const about = { object_id: null, customer_id: null, user_id: null, error: null };
  return { event_id, type: read.type ?? "unknown", created: new Date(), payload, verified: false, ...about };
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw invalid();
  }
}

const invalid = () => new AppError("bad_request", "invalid_event", "The body is not an event in JSON.");
