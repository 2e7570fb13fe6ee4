import type { z } from "zod";
import {
  checkoutSession,
  providerCharge,
  providerDispute,
  providerPayment,
} from "../../shared/schemas/billing-event.ts";
import type { MirroredPayment } from "../../shared/store/billing/put-payment.ts";
import type { StoredEvent } from "../../shared/store/billing/read-events.ts";
import { newest } from "./newest-event.ts";

/** A cent is 10,000 micro-USD. */
const microUsdPerCent = 10_000;

/** `wallet_micro_usd`: the part of the payment that is credited to the wallet. */
export type FoldedPayment = { payment: MirroredPayment; wallet_micro_usd: number };

/**
 * Computes a payment from its events in any order. A succeeded payment stays succeeded, and the largest refunded amount counts.
 * Null: no event is about a payment.
 */
export function foldPayment(id: string, events: readonly StoredEvent[]): FoldedPayment | null {
  const facts = readPayment(events);
  const money = moneyOf(facts);
  const as_of = newest(events, equal)?.created;
  if (!money || !as_of) return null;
  const charge = chargeOf(facts);
  const { invoice, last_payment_error, description } = facts.intent ?? noIntent;
  const { wallet_micro_usd, ...amounts } = money;
  const payment = {
    id,
    // A charge without a payment intent is an object of its own.
    charge_id: charge === id ? null : charge,
    invoice_id: invoice,
    status: statusOf(facts),
    ...amounts,
    failure_message: last_payment_error?.message ?? null,
    description,
    as_of,
  };
  return { payment, wallet_micro_usd };
}

function moneyOf({ succeeded, intent, charges, disputes, isTopUp }: PaymentFacts) {
  // The refund's event may arrive before the payment's own.
  const known = intent ?? charges[0] ?? disputes[0];
  if (!known) return null;
  const { currency, created } = known;
  const amount = (succeeded && intent?.amount_received) || known.amount;
  const refunded_amount = Math.max(0, ...charges.map(({ amount_refunded }) => amount_refunded));
  const taking = disputes.filter(takesMoney);
  const disputed = taking.reduce((sum, dispute) => sum + dispute.amount, 0);
  const left = succeeded && isTopUp ? Math.max(0, amount - refunded_amount - disputed) : 0;
  const inUsd = currency.toLowerCase() === "usd";
  return {
    currency,
    created_at: created,
    amount,
    amount_micro_usd: inUsd ? amount * microUsdPerCent : null,
    wallet_micro_usd: inUsd ? left * microUsdPerCent : 0,
    refunded_amount,
    disputed: taking.length > 0,
  };
}

/** False for an inquiry, and for a dispute that was won: its money is back. */
const takesMoney = ({ status }: Dispute): boolean =>
  !status.startsWith("warning_") && status !== "won" && status !== "prevented";

const equal = (): number => 0;
const noIntent = { invoice: null, last_payment_error: null, description: null };

const chargeOf = ({ intent, charges, disputes }: PaymentFacts): string | null =>
  intent?.latest_charge ?? charges[0]?.id ?? disputes[0]?.charge ?? null;

function statusOf({ succeeded, intent }: PaymentFacts): string {
  if (succeeded) return "succeeded";
  return intent ? "failed" : "pending";
}

type PaymentFacts = ReturnType<typeof readPayment>;
type Dispute = z.infer<typeof providerDispute>;

/** In the order in which they may come within a second. */
const disputeEvents = ["created", "funds_withdrawn", "updated", "closed", "funds_reinstated"].map(
  (end) => `charge.dispute.${end}`,
);

/** Each dispute, as its newest event has it. */
function newestDisputes(events: readonly StoredEvent[]): Dispute[] {
  const all = events.filter(({ type }) => disputeEvents.includes(type));
  const idOf = ({ object }: StoredEvent): string => providerDispute.parse(object).id;
  return [...new Set(all.map(idOf))].flatMap((id) => {
    const last = newest(
      all.filter((event) => idOf(event) === id),
      (type) => disputeEvents.indexOf(type),
    );
    return last ? [providerDispute.parse(last.object)] : [];
  });
}

/** `isTopUp`: the payment names its user or belongs to a checkout in payment mode, and pays no invoice. */
function readPayment(events: readonly StoredEvent[]) {
  const of = (type: string): StoredEvent[] => events.filter((event) => event.type === type);
  const success = newest(of("payment_intent.succeeded"), equal);
  const last = success ?? newest(of("payment_intent.payment_failed"), equal);
  const intent = last && providerPayment.parse(last.object);
  const checkouts = of("checkout.session.completed").map(({ object }) => checkoutSession.parse(object));
  const named = typeof intent?.metadata["user_id"] === "string" || checkouts.some(({ mode }) => mode === "payment");
  return {
    succeeded: success !== null,
    intent,
    charges: of("charge.refunded").map(({ object }) => providerCharge.parse(object)),
    disputes: newestDisputes(events),
    isTopUp: named && intent?.invoice == null,
  };
}
