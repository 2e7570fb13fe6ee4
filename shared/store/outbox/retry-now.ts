import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Makes up to `limit` messages due that wait for their next try. Returns how many. */
export async function retryMessagesNow(db: Db, limit: number): Promise<number> {
  return retry.count(db.sql, { limit });
}

const isPostponed = sql`status = 'pending' AND next_attempt_at > now()`;

const retry = statement({
  name: "retry-messages-now",
  takes: { limit: t.integer },
  text: sql`
    WITH postponed AS (
      SELECT id FROM outbox WHERE ${isPostponed} LIMIT $limit FOR UPDATE SKIP LOCKED
    )
    UPDATE outbox SET next_attempt_at = now() FROM postponed WHERE outbox.id = postponed.id`,
});

export async function countPostponedMessages(db: Db): Promise<number> {
  return (await count.first(db.sql))?.count ?? 0;
}

const count = statement({
  name: "count-postponed-messages",
  gives: { count: t.integer },
  text: sql`SELECT count(*)::int AS count FROM outbox WHERE ${isPostponed}`,
});
