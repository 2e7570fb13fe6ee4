import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * Forgets what the runs that ended longest ago said, at most `limit` of them: all events but the terminal one, by which a
 * late reader learns of the gap and of the outcome, and their artifacts and journals. Returns how many runs that were.
 */
export async function purgeTranscripts(db: Db, olderThanDays: number, limit: number): Promise<number> {
  return (await purge.first(db.sql, { days: olderThanDays, limit }))?.purged ?? 0;
}

/** How many runs wait for it. */
export async function countPurgeableRuns(db: Db, olderThanDays: number): Promise<number> {
  return (await count.first(db.sql, { days: olderThanDays }))?.count ?? 0;
}

const isPurgeable = sql`completed_at IS NOT NULL AND purged_at IS NULL AND completed_at < now() - $days * interval '1 day'`;

const count = statement({
  name: "count-purgeable-runs",
  takes: { days: t.double },
  gives: { count: t.integer },
  text: sql`SELECT count(*)::int AS count FROM runs WHERE ${isPurgeable}`,
});

const purge = statement({
  name: "purge-transcripts",
  takes: { days: t.double, limit: t.integer },
  gives: { purged: t.integer },
  text: sql`
    WITH old AS (
      SELECT id, attempt, last_seq FROM runs WHERE ${isPurgeable}
      ORDER BY completed_at LIMIT $limit FOR UPDATE SKIP LOCKED
    ), told AS (
      DELETE FROM transcript_chunks c USING old
      WHERE c.run_id = old.id AND (c.attempt <> old.attempt OR c.last_seq <> old.last_seq)
    ), kept AS (
      UPDATE transcript_chunks c SET first_seq = c.last_seq, events = json_build_array(c.events->-1) FROM old
      WHERE c.run_id = old.id AND c.attempt = old.attempt AND c.last_seq = old.last_seq
    ), files AS (
      DELETE FROM artifacts USING old WHERE artifacts.run_id = old.id
    ), counted AS (
      DELETE FROM run_journals USING old WHERE run_journals.run_id = old.id
    ), done AS (
      DELETE FROM journal_entries USING old WHERE journal_entries.run_id = old.id
    ), waits AS (
      DELETE FROM run_waits USING old WHERE run_waits.run_id = old.id
    ), graphs AS (
      DELETE FROM run_checkpoints USING old WHERE run_checkpoints.run_id = old.id
    ), inputs AS (
      DELETE FROM run_inputs USING old WHERE run_inputs.run_id = old.id
    ), calls AS (
      DELETE FROM run_open_calls USING old WHERE run_open_calls.run_id = old.id
    ), marked AS (
      UPDATE runs SET purged_at = now() FROM old WHERE runs.id = old.id RETURNING 1
    )
    SELECT count(*)::int AS purged FROM marked`,
});
