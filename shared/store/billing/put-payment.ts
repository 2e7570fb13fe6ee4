import type { Queryable } from "../client.ts";
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
  const { rows } = await client.query<{ booked: string }>(
    "SELECT wallet_micro_usd AS booked FROM payments WHERE id = $1",
    [id],
  );
  const of = { user_id, provider_payment_id: id, provider_charge_id: charge_id, provider_invoice_id: invoice_id };
  await putRow(client, "payments", id, { ...of, ...told, wallet_micro_usd });
  const amount_micro_usd = wallet_micro_usd - Number(rows[0]?.booked ?? 0);
  if (amount_micro_usd === 0) return;
  const type = amount_micro_usd > 0 ? "top_up" : "refund";
  const booking = { source: "payment", source_id: `${id}/${cause}`, against: "provider", description: null } as const;
  await bookTransfers(client, [{ user_id, amount_micro_usd, type, ...booking }]);
}
