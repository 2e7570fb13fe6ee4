import type { Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Locks a user's row until the transaction ends, and makes it first for a user who only ever ran agents. */
export async function lockUser(client: Queryable, id: string): Promise<void> {
  await lock.count(client, { id });
}

const lock = statement({
  name: "lock-user",
  takes: { id: t.text },
  text: sql`INSERT INTO users (id) VALUES ($id) ON CONFLICT (id) DO UPDATE SET id = users.id`,
});
