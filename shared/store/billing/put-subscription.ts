import type { Queryable } from "../client.ts";
import { choosePlan } from "./choose-plan.ts";
import { putRow } from "./put-row.ts";

/** What its events say of a subscription, all of them. `as_of` is the newest one's time; amounts are the currency's smallest units. */
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

/** Writes what a subscription is now, and with it the plan that its user has. */
export async function putSubscription(client: Queryable, user_id: string, row: MirroredSubscription): Promise<void> {
  const { id, price_id, plan_id, ...told } = row;
  const plan = await client.query<{ id: string }>(
    "SELECT id FROM plans WHERE provider_price_id = $1 OR id = $2 ORDER BY (provider_price_id = $1) DESC NULLS LAST LIMIT 1",
    [price_id, plan_id],
  );
  const of = { user_id, provider_subscription_id: id, plan_id: plan.rows[0]?.id ?? null };
  await putRow(client, "subscriptions", id, { ...of, ...told });
  await choosePlan(client, user_id);
}
