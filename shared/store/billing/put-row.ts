import type { Queryable } from "../client.ts";
import { execute } from "../query.ts";
import { joined, raw, sql } from "../sql.ts";

/** Writes a row that mirrors a provider's object. The columns' names are ours; whose it is stays. */
export async function putRow(
  client: Queryable,
  table: string,
  id: string,
  row: Record<string, unknown>,
): Promise<void> {
  const names = Object.keys(row);
  const changed = names.filter((name) => name !== "user_id").map((name) => raw(`${name} = excluded.${name}`));
  const values = Object.values({ id, ...row }).map((value) => sql`${value}`);
  await execute(
    client,
    sql`INSERT INTO ${raw(table)} (id, ${raw(names.join(", "))}) VALUES (${joined(values, ", ")})
     ON CONFLICT (id) DO UPDATE SET updated_at = now(), ${joined(changed, ", ")}`,
  );
}
