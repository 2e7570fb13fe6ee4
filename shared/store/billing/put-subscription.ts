import type { Queryable } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
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
  const plan = await findPlan.first(client, { price_id, plan_id });
  const of = { user_id, provider_subscription_id: id, plan_id: plan?.id ?? null };
  await putRow(client, "subscriptions", id, { ...of, ...told });
  await choosePlan(client, user_id);
}

const findPlan = statement({
  name: "find-plan",
  takes: { price_id: orNull(t.text), plan_id: orNull(t.text) },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM plans WHERE provider_price_id = $price_id OR id = $plan_id
    ORDER BY (provider_price_id = $price_id) DESC NULLS LAST LIMIT 1`,
});
