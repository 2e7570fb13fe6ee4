import type { Queryable } from "../client.ts";

/** Writes a row that mirrors a provider's object. The columns' names are ours; whose it is stays. */
export async function putRow(
  client: Queryable,
  table: string,
  id: string,
  row: Record<string, unknown>,
): Promise<void> {
  const names = Object.keys(row);
  const changed = names.filter((name) => name !== "user_id").map((name) => `${name} = excluded.${name}`);
  await client.query(
    `INSERT INTO ${table} (id, ${names.join(", ")}) VALUES ($1, ${names.map((_, i) => `$${i + 2}`).join(", ")})
     ON CONFLICT (id) DO UPDATE SET updated_at = now(), ${changed.join(", ")}`,
    [id, ...Object.values(row)],
  );
}
