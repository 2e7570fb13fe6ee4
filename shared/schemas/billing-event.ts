import { z } from "zod";

/** The parts of the payment provider's events and objects that are used here (Stripe's, of any API version since 2020). */

/** The provider's times are seconds since 1970. */
const time = z
  .number()
  .min(0)
  .max(1e11)
  .transform((seconds) => new Date(seconds * 1000));
const id = z.string().regex(/^[\x21-\x7e]{1,255}$/);
const optionalTime = time.nullish().transform((value) => value ?? null);
const cents = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** An id, or the expanded object with that id. */
const reference = z
  .union([id, z.object({ id }).transform(({ id }) => id)])
  .nullish()
  .transform((value) => value ?? null);
const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? null);

const common = { id, customer: reference, metadata };

export const providerEvent = z.object({
  id,
  type: id,
  created: time,
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});

/** What any event has, however odd the rest of it is. */
export const eventName = z.object({ id, type: id.catch("unknown"), data: z.looseObject({}) });

export const checkoutSession = z.object({
  ...common,
  mode: z.string(),
  client_reference_id: optionalText,
  payment_intent: reference,
  subscription: reference,
});

export const subscriptionStatuses = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "unpaid",
  "paused",
  "canceled",
] as const;

const period = { current_period_start: optionalTime, current_period_end: optionalTime };
export const providerSubscription = z.object({
  ...common,
  ...period,
  created: time,
  status: z.enum(subscriptionStatuses),
  cancel_at_period_end: z.boolean().default(false),
  canceled_at: optionalTime,
  trial_end: optionalTime,
  // API versions since 2025 have the period in the items.
  items: z.object({ data: z.array(z.object({ price: z.object({ id }).nullish(), ...period })) }).default({ data: [] }),
});

export const providerInvoice = z.object({
  ...common,
  created: time,
  number: optionalText,
  status: optionalText,
  currency: z.string(),
  amount_due: cents,
  amount_paid: cents.default(0),
  period_start: optionalTime,
  period_end: optionalTime,
  hosted_invoice_url: optionalText,
  subscription: reference,
  subscription_details: z.object({ metadata }).nullish(),
  parent: z.object({ subscription_details: z.object({ metadata, subscription: reference }).nullish() }).nullish(),
});

export const providerPayment = z.object({
  ...common,
  created: time,
  amount: cents,
  amount_received: cents.default(0),
  currency: z.string(),
  description: optionalText,
  invoice: reference,
  latest_charge: reference,
  last_payment_error: z.object({ message: optionalText }).nullish(),
});

export const providerCharge = z.object({
  ...common,
  created: time,
  amount: cents,
  amount_refunded: cents,
  currency: z.string(),
  description: optionalText,
  payment_intent: reference,
});

export const providerDispute = z.object({
  id,
  created: time,
  amount: cents,
  currency: z.string(),
  charge: reference,
  payment_intent: reference,
  /** https://docs.stripe.com/api/disputes/object: `warning_…` is an inquiry, which moves no money. */
  status: z.string().default("needs_response"),
});
