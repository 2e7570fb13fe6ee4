import type { Db } from "./client.ts";
import { t } from "./columns.ts";
import { raw, sql } from "./sql.ts";
import { statement } from "./statement.ts";

/** Rows a statement: it is over long before it would be cut off, and nobody waits long for its locks. */
const batch = 500;

/** Tables that can have millions of rows of one owner, with their key and the column that names the owner. */
const kinds = {
  outbox: { key: "id", of: "webhook_id" },
  hook_deliveries: { key: "id", of: "hook_id" },
  job_ticks: { key: "job_id, scheduled_at, manual", of: "job_id" },
  daemon_logs: { key: "agent_id, epoch, first_seq", of: "agent_id" },
  notifications: { key: "id", of: "user_id" },
  store_items: { key: "user_id, namespace, key", of: "user_id" },
  idempotency_keys: { key: "user_id, route, key", of: "user_id" },
  bulk_operations: { key: "id", of: "user_id" },
} as const;

type Kind = keyof typeof kinds;

/** Deletes all rows of a table that belong to `owner`, batch by batch. Whoever deletes the owner itself does that afterwards. */
export async function deleteAllOf(db: Db, kind: Kind, owner: string): Promise<void> {
  while ((await statements[kind].count(db.sql, { owner, limit: batch })) === batch);
}

const deletion = (table: Kind) => {
  const [key, of] = [raw(kinds[table].key), raw(kinds[table].of)];
  return statement({
    name: `delete-all-of-${table.replaceAll("_", "-")}`,
    takes: { owner: t.text, limit: t.integer },
    text: sql`DELETE FROM ${raw(table)} WHERE (${key}) IN (SELECT ${key} FROM ${raw(table)} WHERE ${of} = $owner LIMIT $limit)`,
  });
};

const statements = Object.fromEntries(
  (Object.keys(kinds) as Kind[]).map((table) => [table, deletion(table)]),
) as Record<Kind, ReturnType<typeof deletion>>;
