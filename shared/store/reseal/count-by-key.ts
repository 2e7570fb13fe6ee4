import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { query } from "../query.ts";
import { raw, sql } from "../sql.ts";
import { sealedBytes, type SealedColumn } from "./sealed-columns.ts";

/** How many values of a column are sealed with which key, by its id. */
export async function countByKey(db: Db, sealed: SealedColumn): Promise<Map<string, number>> {
  // A sealed value begins with the length of its key's id, and the id.
  const rows = await query(
    db.sql,
    { id: t.text, count: t.integer },
    sql`SELECT encode(substr(bytes, 2, get_byte(bytes, 0)), 'escape') AS id, count(*)::int AS count
     FROM (SELECT ${sealedBytes(sealed)} AS bytes FROM ${raw(sealed.table)}) AS found
     WHERE length(bytes) > 0 GROUP BY 1`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}
