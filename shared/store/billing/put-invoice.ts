import type { Queryable } from "../client.ts";
import { putRow } from "./put-row.ts";

/** What its events say of an invoice, all of them. `as_of` is the newest one's time; amounts are the currency's smallest units. */
export type MirroredInvoice = {
  id: string;
  subscription_id: string | null;
  number: string | null;
  status: string;
  currency: string;
  amount_due: number;
  amount_paid: number;
  period_start: Date | null;
  period_end: Date | null;
  hosted_url: string | null;
  as_of: Date;
  created_at: Date;
};

/** Writes what an invoice is now. */
export async function putInvoice(client: Queryable, user_id: string, row: MirroredInvoice): Promise<void> {
  const { id, subscription_id, ...told } = row;
  const of = { user_id, provider_invoice_id: id, provider_subscription_id: subscription_id };
  await putRow(client, "invoices", id, { ...of, ...told });
}
