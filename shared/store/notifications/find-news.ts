import type { Db } from "../client.ts";

/** Who of `users` was told something that can be read by now (`present`) and could not yet at `since`. */
export async function findNews(db: Db, users: string[], since: bigint): Promise<{ present: bigint; told: string[] }> {
  const { rows } = await db.sql.query<{ present: string; told: string[] }>({ ...statement, values: [users, since] });
  const [row] = rows;
  if (!row) throw new Error("A select without FROM gives a row.");
  return { present: BigInt(row.present), told: row.told };
}

/** What can be read is what `readFrom` shows: what is older than all transactions that still run. */
const statement = {
  name: "find-news",
  text: `
    SELECT present.xact AS present, ARRAY(
      SELECT DISTINCT user_id FROM notifications
      WHERE user_id = ANY($1::text[]) AND xact >= $2 AND xact < present.xact
    ) AS told
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xact) AS present`,
};
