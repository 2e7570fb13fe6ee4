import type { Queryable } from "../client.ts";

/**
 * Whose an object of the provider's is: the user whom its oldest event names that names one, else one of the same
 * customer, else him for whom we made the customer. Null: nobody knows yet.
 */
export async function findPayer(client: Queryable, object_id: string): Promise<string | null> {
  const { rows } = await client.query<{ user_id: string }>(
    `WITH customers AS (
       SELECT DISTINCT customer_id FROM billing_events WHERE object_id = $1 AND verified AND customer_id IS NOT NULL
     )
     (SELECT 1 AS rank, created, event_id, user_id FROM billing_events
       WHERE object_id = $1 AND verified AND user_id IS NOT NULL
      UNION ALL
      SELECT 2, created, event_id, user_id FROM billing_events
       WHERE customer_id IN (SELECT customer_id FROM customers) AND verified AND user_id IS NOT NULL
      UNION ALL
      SELECT 3, created_at, '', user_id FROM billing_accounts
       WHERE provider_customer_id IN (SELECT customer_id FROM customers))
     ORDER BY rank, created, event_id LIMIT 1`,
    [object_id],
  );
  return rows[0]?.user_id ?? null;
}

/** Notes which customer of the provider's a user is: that of his oldest event. */
export async function linkCustomer(client: Queryable, user_id: string): Promise<void> {
  await client.query(
    `UPDATE billing_accounts a SET provider_customer_id = found.customer_id, updated_at = now()
     FROM (SELECT customer_id FROM billing_events WHERE user_id = $1 AND verified AND customer_id IS NOT NULL
       ORDER BY created, event_id LIMIT 1) AS found
     WHERE a.user_id = $1 AND a.provider_customer_id IS DISTINCT FROM found.customer_id AND NOT EXISTS (
       SELECT 1 FROM billing_accounts other WHERE other.provider_customer_id = found.customer_id)`,
    [user_id],
  );
}
