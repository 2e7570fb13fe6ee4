import { providerInvoice } from "../../shared/schemas/billing-event.ts";
import type { MirroredInvoice } from "../../shared/store/billing/put-invoice.ts";
import type { StoredEvent } from "../../shared/store/billing/read-events.ts";
import { newest } from "./newest-event.ts";

const rank = (type: string): number => ["invoice.finalized", "invoice.payment_failed", "invoice.paid"].indexOf(type);

/** Computes an invoice from its events in any order. A paid invoice stays paid. Null: no event is about an invoice. */
export function foldInvoice(events: readonly StoredEvent[]): MirroredInvoice | null {
  const relevant = events.filter(({ type }) => rank(type) >= 0);
  const paid = newest(
    relevant.filter(({ type }) => type === "invoice.paid"),
    rank,
  );
  const last = paid ?? newest(relevant, rank);
  if (!last) return null;
  const invoice = providerInvoice.parse(last.object);
  return {
    id: invoice.id,
    subscription_id: invoice.subscription ?? invoice.parent?.subscription_details?.subscription ?? null,
    number: invoice.number,
    status: paid ? "paid" : (invoice.status ?? "open"),
    currency: invoice.currency,
    amount_due: invoice.amount_due,
    amount_paid: invoice.amount_paid,
    period_start: invoice.period_start,
    period_end: invoice.period_end,
    hosted_url: invoice.hosted_invoice_url,
    as_of: last.created,
    created_at: invoice.created,
  };
}
