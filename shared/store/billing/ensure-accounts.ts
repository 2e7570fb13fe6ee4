import type { Queryable } from "../client.ts";

/** Sees to it that users have rows and billing accounts. */
export async function ensureAccounts(client: Queryable, user_ids: readonly string[]): Promise<void> {
  await client.query(
    `WITH users AS (
       INSERT INTO users (id) SELECT DISTINCT unnest($1::text[]) ON CONFLICT DO NOTHING
     )
     INSERT INTO billing_accounts (user_id) SELECT DISTINCT unnest($1::text[]) ON CONFLICT DO NOTHING`,
    [user_ids],
  );
}
