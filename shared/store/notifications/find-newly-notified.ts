import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * Who of `users` has a notification that can be read by now (`present`) and could not yet at `since`. What can be read is
 * what `readFrom` shows: what is older than all transactions that still run.
 */
export async function findNewlyNotified(
  db: Db,
  users: string[],
  since: bigint,
): Promise<{ present: bigint; told: readonly string[] }> {
  const row = await find.first(db.sql, { users, since: String(since) });
  if (!row) throw new Error("A select without FROM gives a row.");
  return { present: BigInt(row.present), told: row.told };
}

const find = statement({
  name: "find-newly-notified",
  takes: { users: listOf(t.text), since: t.bigint },
  gives: { present: t.bigint, told: listOf(t.text) },
  text: sql`
    SELECT present.xact AS present, ARRAY(
      SELECT DISTINCT user_id FROM notifications
      WHERE user_id = ANY($users) AND xact >= $since AND xact < present.xact
    ) AS told
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xact) AS present`,
});
