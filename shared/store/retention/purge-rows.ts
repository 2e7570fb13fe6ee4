import type { Db } from "../client.ts";
import type { Aging } from "./what-ages.ts";

/** Deletes at most `limit` rows of a kind that are older than so many days; gives how many. */
export async function purgeRows(db: Db, { table, key, when }: Aging, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${when} LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}

export async function countAged(db: Db, { table, when }: Aging, days: number): Promise<number> {
  const { rows } = await db.sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table} WHERE ${when}`, [
    days,
  ]);
  return rows[0]?.count ?? 0;
}
