import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** SQL: of a user's subscriptions that are in force the newest, which decides the plan. */
export const newestInForce = sql`
      SELECT id, plan_id, provider_subscription_id FROM subscriptions
      WHERE user_id = $user_id AND status IN ('trialing', 'active', 'past_due') AND plan_id IS NOT NULL
      ORDER BY created_at DESC, id DESC LIMIT 1`;

/** A user's plan is that of the newest subscription that is in force. */
export async function choosePlan(client: Queryable, user_id: string): Promise<void> {
  await choose.count(client, { user_id });
}

const choose = statement({
  name: "choose-plan",
  takes: { user_id: t.text },
  text: sql`
    UPDATE billing_accounts SET updated_at = now(), plan_id = (SELECT plan_id FROM (${newestInForce}) AS newest)
    WHERE user_id = $user_id`,
});
