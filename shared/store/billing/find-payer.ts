import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * The user who pays for an object of the provider's: the user that its oldest event names; else the user that another event
 * of the same customer names; else the user for whom the customer was made. Returns null when it is not known yet.
 */
export async function findPayer(client: Queryable, object_id: string): Promise<string | null> {
  return (await find.first(client, { object_id }))?.user_id ?? null;
}

const find = statement({
  name: "find-payer",
  takes: { object_id: t.text },
  gives: { rank: t.integer, created: t.timestamptz, event_id: t.text, user_id: t.text },
  text: sql`
    WITH customers AS (
      SELECT DISTINCT customer_id FROM billing_events WHERE object_id = $object_id AND verified AND customer_id IS NOT NULL
    )
    (SELECT 1 AS rank, created, event_id, user_id FROM billing_events
      WHERE object_id = $object_id AND verified AND user_id IS NOT NULL
     UNION ALL
     SELECT 2, created, event_id, user_id FROM billing_events
      WHERE customer_id IN (SELECT customer_id FROM customers) AND verified AND user_id IS NOT NULL
     UNION ALL
     SELECT 3, created_at, '', user_id FROM billing_accounts
      WHERE provider_customer_id IN (SELECT customer_id FROM customers))
    ORDER BY rank, created, event_id LIMIT 1`,
});

/** Notes which customer of the provider's a user is: that of the user's oldest event. */
export async function linkCustomer(client: Queryable, user_id: string): Promise<void> {
  await link.count(client, { user_id });
}

const link = statement({
  name: "link-customer",
  takes: { user_id: t.text },
  text: sql`
    UPDATE billing_accounts a SET provider_customer_id = found.customer_id, updated_at = now()
    FROM (SELECT customer_id FROM billing_events WHERE user_id = $user_id AND verified AND customer_id IS NOT NULL
      ORDER BY created, event_id LIMIT 1) AS found
    WHERE a.user_id = $user_id AND a.provider_customer_id IS DISTINCT FROM found.customer_id AND NOT EXISTS (
      SELECT 1 FROM billing_accounts other WHERE other.provider_customer_id = found.customer_id)`,
});
