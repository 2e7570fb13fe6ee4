import type { Queryable } from "../client.ts";

/** What an object's events say of it, all of them; `as_of` is the newest one's time. Amounts are the currency's smallest units. */
export type MirroredSubscription = {
  id: string;
  status: string;
  price_id: string | null;
  /** Where its metadata names one of our plans. */
  plan_id: string | null;
  current_period_start: Date | null;
  current_period_end: Date | null;
  trial_end: Date | null;
  cancel_at_period_end: boolean;
  canceled_at: Date | null;
  as_of: Date;
  created_at: Date;
};

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

/** Writes what a subscription is now, and with it the plan that its user has. */
export async function putSubscription(client: Queryable, user_id: string, row: MirroredSubscription): Promise<void> {
  const { id, price_id, plan_id, ...told } = row;
  const plan = await client.query<{ id: string }>(
    "SELECT id FROM plans WHERE provider_price_id = $1 OR id = $2 ORDER BY (provider_price_id = $1) DESC NULLS LAST LIMIT 1",
    [price_id, plan_id],
  );
  const of = { user_id, provider_subscription_id: id, plan_id: plan.rows[0]?.id ?? null };
  await put(client, "subscriptions", id, { ...of, ...told });
  await choosePlan(client, user_id);
}

/** A user's plan is that of his newest subscription that is in force. */
export async function choosePlan(client: Queryable, user_id: string): Promise<void> {
  await client.query(
    `UPDATE billing_accounts SET updated_at = now(), plan_id = (
       SELECT plan_id FROM subscriptions
       WHERE user_id = $1 AND status IN ('trialing', 'active', 'past_due') AND plan_id IS NOT NULL
       ORDER BY created_at DESC, id DESC LIMIT 1)
     WHERE user_id = $1`,
    [user_id],
  );
}

export async function putInvoice(client: Queryable, user_id: string, row: MirroredInvoice): Promise<void> {
  const { id, subscription_id, ...told } = row;
  const of = { user_id, provider_invoice_id: id, provider_subscription_id: subscription_id };
  await put(client, "invoices", id, { ...of, ...told });
}

/** Writes what a payment is now, and what of it is in the wallet. Gives by how much that changed, in micro-USD. */
export async function putPayment(
  client: Queryable,
  user_id: string,
  { payment, wallet_micro_usd }: { payment: MirroredPayment; wallet_micro_usd: number },
): Promise<number> {
  const { rows } = await client.query<{ booked: string }>(
    "SELECT wallet_micro_usd AS booked FROM payments WHERE id = $1",
    [payment.id],
  );
  const { id, charge_id, invoice_id, ...told } = payment;
  const of = { user_id, provider_payment_id: id, provider_charge_id: charge_id, provider_invoice_id: invoice_id };
  await put(client, "payments", id, { ...of, ...told, wallet_micro_usd });
  return wallet_micro_usd - Number(rows[0]?.booked ?? 0);
}

/** The columns' names are ours. Whose it is stays. */
async function put(client: Queryable, table: string, id: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const changed = names.filter((name) => name !== "user_id").map((name) => `${name} = excluded.${name}`);
  await client.query(
    `INSERT INTO ${table} (id, ${names.join(", ")}) VALUES ($1, ${names.map((_, i) => `$${i + 2}`).join(", ")})
     ON CONFLICT (id) DO UPDATE SET updated_at = now(), ${changed.join(", ")}`,
    [id, ...Object.values(row)],
  );
}
