import type { Queryable } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Makes the rows and the billing accounts of users who have none. */
export async function ensureAccounts(client: Queryable, user_ids: readonly string[]): Promise<void> {
  await ensure.count(client, { user_ids });
}

const ensure = statement({
  name: "ensure-accounts",
  takes: { user_ids: listOf(t.text) },
  text: sql`
    WITH users AS (
      INSERT INTO users (id) SELECT DISTINCT unnest($user_ids) ON CONFLICT DO NOTHING
    )
    INSERT INTO billing_accounts (user_id) SELECT DISTINCT unnest($user_ids) ON CONFLICT DO NOTHING`,
});
