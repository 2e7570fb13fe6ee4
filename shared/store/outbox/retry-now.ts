import type { Db } from "../client.ts";

/** Makes up to `limit` messages due that wait for their next try. Returns how many. */
export async function retryMessagesNow(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query({ ...statement, values: [limit] });
  return rowCount ?? 0;
}

const statement = {
  name: "retry-messages-now",
  text: `
    WITH postponed AS (
      SELECT id FROM outbox WHERE status = 'pending' AND next_attempt_at > now()
      ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    UPDATE outbox SET next_attempt_at = now() FROM postponed WHERE outbox.id = postponed.id`,
};

export async function countPostponedMessages(db: Db): Promise<number> {
  const { rows } = await db.sql.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM outbox WHERE status = 'pending' AND next_attempt_at > now()",
  );
  return rows[0]?.n ?? 0;
}
