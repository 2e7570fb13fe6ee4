import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { bookTransfers } from "./book-transfers.ts";
import { putRow } from "./put-row.ts";

/** What its events say of a payment, all of them. `as_of` is the newest one's time; amounts are the currency's smallest units. */
export type MirroredPayment = {
  id: string;
  charge_id: string | null;
  invoice_id: string | null;
  status: string;
  currency: string;
  amount: number;
  amount_micro_usd: number | null;
  refunded_amount: number;
  disputed: boolean;
  failure_message: string | null;
  description: string | null;
  as_of: Date;
  created_at: Date;
};

/**
 * Writes what a payment is now, and books what that changes in the wallet: `wallet_micro_usd` of it belong there. `cause`
 * is the event that makes it.
 */
export async function putPayment(
  client: Queryable,
  user_id: string,
  { payment, wallet_micro_usd }: { payment: MirroredPayment; wallet_micro_usd: number },
  cause: string,
): Promise<void> {
  const { id, charge_id, invoice_id, ...told } = payment;
  const stood = await booked.first(client, { id });
  const of = { user_id, provider_payment_id: id, provider_charge_id: charge_id, provider_invoice_id: invoice_id };
  await putRow(client, "payments", id, { ...of, ...told, wallet_micro_usd });
  const amount_micro_usd = wallet_micro_usd - Number(stood?.wallet_micro_usd ?? 0);
  if (amount_micro_usd === 0) return;
  const type = amount_micro_usd > 0 ? "top_up" : "refund";
  const booking = { source: "payment", source_id: `${id}/${cause}`, against: "provider", description: null } as const;
  await bookTransfers(client, [{ user_id, amount_micro_usd, type, ...booking }]);
}

const booked = statement({
  name: "read-booked-payment",
  takes: { id: t.text },
  gives: { wallet_micro_usd: t.bigint },
  text: sql`SELECT wallet_micro_usd FROM payments WHERE id = $id`,
});
