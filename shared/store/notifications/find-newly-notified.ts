import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { readHorizon } from "../read-horizon.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * Who of `users` has a notification that can be read by now (`present`) and could not yet at `since`. What can be read is
 * what `readFrom` shows: what is older than the horizon.
 */
export async function findNewlyNotified(
  db: Db,
  users: string[],
  since: bigint,
): Promise<{ present: bigint; told: readonly string[] }> {
  const present = await readHorizon(db.sql);
  const rows = await find.rows(db.sql, { users, since: String(since), present: String(present) });
  return { present, told: rows.map(({ user_id }) => user_id) };
}

const find = statement({
  name: "find-newly-notified",
  takes: { users: listOf(t.text), since: t.bigint, present: t.bigint },
  gives: { user_id: t.text },
  text: sql`
    SELECT DISTINCT user_id FROM notifications
    WHERE user_id = ANY($users) AND xact >= $since AND xact < $present`,
});
