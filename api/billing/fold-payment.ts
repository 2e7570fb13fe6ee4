import {
  checkoutSession,
  providerCharge,
  providerDispute,
  providerPayment,
} from "../../shared/schemas/billing-event.ts";
import type { MirroredPayment } from "../../shared/store/billing/put-mirrored.ts";
import type { StoredEvent } from "../../shared/store/billing/read-events.ts";
import { newest } from "./newest-event.ts";

/** A cent is 10,000 micro-USD. */
const microUsdPerCent = 10_000;

/** `wallet_micro_usd`: how much of the payment belongs into the wallet. */
export type FoldedPayment = { payment: MirroredPayment; wallet_micro_usd: number };

/**
 * What a payment's events, in any order, say of it: succeeded is succeeded, and what was refunded most stands. Null: none
 * is a payment's.
 */
export function foldPayment(id: string, events: readonly StoredEvent[]): FoldedPayment | null {
  const of = (type: string): StoredEvent[] => events.filter((event) => event.type === type);
  const success = newest(of("payment_intent.succeeded"), equal);
  const last = success ?? newest(of("payment_intent.payment_failed"), equal);
  const intent = last && providerPayment.parse(last.object);
  const charges = of("charge.refunded").map(({ object }) => providerCharge.parse(object));
  const disputes = of("charge.dispute.created").map(({ object }) => providerDispute.parse(object));
  // Its refund may come before its own event.
  const known = intent ?? charges[0] ?? disputes[0];
  const as_of = newest(events, equal)?.created;
  if (!known || !as_of) return null;

  const amount = (success && intent?.amount_received) || known.amount;
  const refunded = Math.max(0, ...charges.map(({ amount_refunded }) => amount_refunded));
  const disputed = disputes.reduce((sum, dispute) => sum + dispute.amount, 0);
  const inUsd = known.currency.toLowerCase() === "usd";
  const left = success && inUsd && isTopUp(events) ? Math.max(0, amount - refunded - disputed) : 0;
  const payment = {
    id,
    charge_id: intent?.latest_charge ?? charges[0]?.id ?? disputes[0]?.charge ?? null,
    invoice_id: intent?.invoice ?? null,
    status: statusOf(success, intent),
    currency: known.currency,
    amount,
    amount_micro_usd: inUsd ? amount * microUsdPerCent : null,
    refunded_amount: refunded,
    disputed: disputes.length > 0,
    failure_message: success ? null : (intent?.last_payment_error?.message ?? null),
    description: intent?.description ?? null,
    as_of,
    created_at: known.created,
  };
  return { payment, wallet_micro_usd: left * microUsdPerCent };
}

const equal = (): number => 0;

function statusOf(success: StoredEvent | null, intent: object | null): string {
  if (success) return "succeeded";
  return intent ? "failed" : "pending";
}

/** Whether a payment is for the wallet: it names its user itself, or comes from a checkout in payment mode; no invoice's is. */
function isTopUp(events: readonly StoredEvent[]): boolean {
  const intents = events.filter(({ type }) => type.startsWith("payment_intent."));
  const read = intents.map(({ object }) => providerPayment.parse(object));
  if (read.some(({ invoice }) => invoice !== null)) return false;
  return (
    read.some(({ metadata }) => typeof metadata["user_id"] === "string") ||
    events.some(
      ({ type, object }) => type === "checkout.session.completed" && checkoutSession.parse(object).mode === "payment",
    )
  );
}
