import type { Queryable } from "../client.ts";

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
