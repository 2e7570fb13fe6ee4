import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const columns = {
  thread_id: t.text,
  run_id: orNull(t.text),
  role: t.text,
  content: t.json(),
  created_at: t.timestamptz,
};

/** A message of a thread. */
export type ThreadMessageRow = Row<typeof columns>;

/** Messages that are read of one thread at most. */
const most = 1000;

/**
 * Returns the newest messages of each thread, the oldest first. Of one thread they are at most `bytes` together, so that a long
 * thread costs no more than a short one.
 */
export async function readNewestMessages(
  db: Db,
  threadIds: readonly string[],
  bytes: number,
): Promise<ThreadMessageRow[]> {
  return read.rows(db.sql, { thread_ids: threadIds, bytes, most });
}

const read = statement({
  name: "read-turns",
  takes: { thread_ids: listOf(t.text), bytes: t.double, most: t.integer },
  gives: columns,
  text: sql`
    SELECT thread_id, run_id, role, content, created_at FROM (
      SELECT m.*, sum(octet_length(m.content::text)) OVER (PARTITION BY m.thread_id ORDER BY m.seq DESC) AS size
      FROM unnest($thread_ids) AS thread (id), LATERAL (
        SELECT * FROM thread_messages WHERE thread_id = thread.id ORDER BY seq DESC LIMIT $most) m
    ) AS newest
    WHERE size <= $bytes ORDER BY thread_id, seq`,
});
