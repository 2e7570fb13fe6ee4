import type { Db } from "../client.ts";

/**
 * Forgets what the runs that ended longest ago said, at most `limit` of them: all events but the terminal one, by which a
 * late reader learns of the gap and of the outcome, and the files that they handed out. Gives how many runs that were.
 */
export async function purgeTranscripts(db: Db, olderThanDays: number, limit: number): Promise<number> {
  const { rows } = await db.sql.query<{ purged: number }>({ ...statement, values: [olderThanDays, limit] });
  return rows[0]?.purged ?? 0;
}

/** How many runs wait for it. */
export async function countPurgeableRuns(db: Db, olderThanDays: number): Promise<number> {
  const { rows } = await db.sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM runs
     WHERE completed_at IS NOT NULL AND purged_at IS NULL AND completed_at < now() - $1 * interval '1 day'`,
    [olderThanDays],
  );
  return rows[0]?.count ?? 0;
}

const statement = {
  name: "purge-transcripts",
  text: `
    WITH old AS (
      SELECT id, attempt, last_seq FROM runs
      WHERE completed_at IS NOT NULL AND purged_at IS NULL AND completed_at < now() - $1 * interval '1 day'
      ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), told AS (
      DELETE FROM transcript_chunks c USING old
      WHERE c.run_id = old.id AND (c.attempt <> old.attempt OR c.last_seq <> old.last_seq)
    ), kept AS (
      UPDATE transcript_chunks c SET first_seq = c.last_seq, events = json_build_array(c.events->-1) FROM old
      WHERE c.run_id = old.id AND c.attempt = old.attempt AND c.last_seq = old.last_seq
    ), files AS (
      DELETE FROM artifacts USING old WHERE artifacts.run_id = old.id
    ), marked AS (
      UPDATE runs SET purged_at = now() FROM old WHERE runs.id = old.id RETURNING 1
    )
    SELECT count(*)::int AS purged FROM marked`,
};
