import type { InvoiceRecord, PaymentRecord } from "../../schemas/payment.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { type BillingFilter, billingConditions } from "./billing-filter.ts";

export function listPayments(
  db: Db,
  owner: Owner,
  filter: BillingFilter,
  page: PageRequest,
): Promise<Page<PaymentRecord>> {
  const load = async (ids: string[]): Promise<PaymentRecord[]> => {
    const omit = { provider_payment_id: true, provider_charge_id: true, as_of: true } as const;
    const rows = await db.prisma.payment.findMany({ where: { id: { in: ids } }, omit });
    return rows.map((row) => ({
      object: "payment",
      ...row,
      amount: Number(row.amount),
      amount_micro_usd: row.amount_micro_usd === null ? null : Number(row.amount_micro_usd),
      wallet_micro_usd: Number(row.wallet_micro_usd),
      refunded_amount: Number(row.refunded_amount),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }));
  };
  return readPage(db, { table: "payments", key: "id", ...billingConditions(owner, filter), bytes: [], load }, page);
}

export function listInvoices(
  db: Db,
  owner: Owner,
  filter: BillingFilter,
  page: PageRequest,
): Promise<Page<InvoiceRecord>> {
  const load = async (ids: string[]): Promise<InvoiceRecord[]> => {
    const omit = { provider_invoice_id: true, as_of: true } as const;
    const rows = await db.prisma.invoice.findMany({ where: { id: { in: ids } }, omit });
    return rows.map((row) => ({
      object: "invoice",
      ...row,
      amount_due: Number(row.amount_due),
      amount_paid: Number(row.amount_paid),
      period_start: row.period_start?.toISOString() ?? null,
      period_end: row.period_end?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }));
  };
  return readPage(db, { table: "invoices", key: "id", ...billingConditions(owner, filter), bytes: [], load }, page);
}
