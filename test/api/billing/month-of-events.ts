import { providerEvent } from "../../../shared/schemas/billing-event.ts";
import type { VerifiedEvent } from "../../../shared/store/billing/insert-event.ts";
import { readEvent } from "../../../api/billing/read-event.ts";

/** A provider's event as it comes. */
export type SentEvent = { id: string; object: "event"; type: string; created: number; data: { object: object } };

const start = Date.UTC(2026, 5, 1) / 1000;

/** A user's month: a subscription that changes its plan and ends, invoices, top-ups with refunds and a dispute. */
export function monthOfEvents(user_id: string): SentEvent[] {
  const of = (id: string) => `${id}_${user_id}`;
  const customer = of("cus");
  let made = 0;
  const event = (at: number, type: string, object: object): SentEvent => {
    made += 1;
    return { id: of(`evt_${made}`), object: "event", type, created: start + at, data: { object } };
  };
  const price = (id: string) => ({
    data: [{ price: { id }, current_period_start: start, current_period_end: start + 9e5 }],
  });
  const subscription = (status: string, items: object, more: object = {}) => ({
    ...{ id: of("sub"), object: "subscription", customer, created: start, status, items, metadata: {}, ...more },
  });
  const invoice = (n: number, status: string, amount_paid: number) => ({
    ...{
      id: of(`in_${n}`),
      object: "invoice",
      customer,
      created: start + n,
      status,
      currency: "usd",
      amount_due: 2_000,
    },
    ...{ amount_paid, parent: { subscription_details: { subscription: of("sub"), metadata: {} } } },
  });
  const payment = (n: number, amount_received: number, metadata: object, more: object = {}) => ({
    ...{ id: of(`pi_${n}`), object: "payment_intent", customer, created: start + n, amount: 2_000, currency: "usd" },
    ...{ amount_received, metadata, latest_charge: of(`ch_${n}`), ...more },
  });
  const refund = (n: number, amount_refunded: number) => ({
    ...{ id: of(`ch_${n}`), object: "charge", customer, created: start + n, amount: 2_000, amount_refunded },
    ...{ currency: "usd", payment_intent: of(`pi_${n}`), metadata: {} },
  });
  const mine = { user_id };
  const failure = { last_payment_error: { message: "Your card was declined." } };
  return [
    event(0, "customer.subscription.created", subscription("incomplete", price("price_small"))),
    event(0, "invoice.finalized", invoice(1, "open", 0)),
    event(0, "invoice.payment_failed", invoice(1, "open", 0)),
    event(0, "payment_intent.payment_failed", payment(1, 0, {}, failure)),
    event(0, "invoice.paid", invoice(1, "paid", 2_000)),
    event(0, "payment_intent.succeeded", payment(1, 2_000, {})),
    event(0, "customer.subscription.updated", subscription("active", price("price_small"))),
    event(1, "checkout.session.completed", {
      ...{ id: of("cs_1"), object: "checkout.session", mode: "subscription", customer, subscription: of("sub") },
      ...{ payment_intent: null, client_reference_id: user_id },
    }),
    event(100, "payment_intent.payment_failed", payment(100, 0, mine, failure)),
    event(110, "payment_intent.succeeded", payment(100, 2_000, mine)),
    event(200, "charge.refunded", refund(100, 300)),
    event(300, "charge.refunded", refund(100, 500)),
    event(400, "customer.subscription.paused", subscription("paused", price("price_small"))),
    event(500, "customer.subscription.resumed", subscription("active", price("price_small"))),
    event(600, "customer.subscription.updated", subscription("active", price("price_big"))),
    event(700, "payment_intent.succeeded", payment(700, 5_000, {}, { customer: null })),
    event(701, "checkout.session.completed", {
      ...{ id: of("cs_2"), object: "checkout.session", mode: "payment", customer: null, subscription: null },
      ...{ payment_intent: of("pi_700"), client_reference_id: user_id },
    }),
    event(800, "payment_intent.succeeded", payment(800, 1_000, mine)),
    event(900, "charge.dispute.created", {
      ...{ id: of("dp_1"), object: "dispute", created: start + 900, amount: 1_000, currency: "usd" },
      ...{ charge: of("ch_800"), payment_intent: of("pi_800") },
    }),
    event(950, "payment_intent.succeeded", payment(950, 700, mine, { currency: "eur" })),
    event(960, "customer.subscription.trial_will_end", subscription("active", price("price_big"))),
    event(1000, "invoice.finalized", invoice(2, "open", 0)),
    event(1001, "invoice.payment_failed", invoice(2, "open", 0)),
    event(2000, "customer.created", { id: customer, object: "customer" }),
  ];
}

/** The end of the subscription, for a month that has it. */
export const subscriptionEnd = (user_id: string): SentEvent => ({
  ...{ id: `evt_end_${user_id}`, object: "event", type: "customer.subscription.deleted", created: start + 900_000 },
  data: {
    object: {
      ...{
        id: `sub_${user_id}`,
        object: "subscription",
        customer: `cus_${user_id}`,
        created: start,
        status: "canceled",
      },
      ...{ canceled_at: start + 900_000, items: { data: [{ price: { id: "price_big" } }] }, metadata: {} },
    },
  },
});

/** As the operation hands a signed one over. */
export function verified(event: SentEvent): VerifiedEvent {
  const read = providerEvent.parse(event);
  const { id: event_id, type, created } = read;
  return { event_id, type, created, payload: event, ...readEvent(read) };
}
