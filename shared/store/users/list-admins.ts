import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Returns the users who hold a valid key of the scope `admin`, and `admin`, whose key is BOOTSTRAP_ADMIN_KEY. */
export async function listAdmins(client: Queryable): Promise<string[]> {
  return (await list.rows(client)).map(({ user_id }) => user_id);
}

const list = statement({
  name: "list-admins",
  gives: { user_id: t.text },
  text: sql`
    SELECT user_id FROM api_keys
    WHERE 'admin' = ANY(scopes) AND run_id IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    UNION SELECT 'admin' LIMIT 1000`,
});
