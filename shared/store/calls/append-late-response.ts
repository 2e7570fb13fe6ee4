import type { Db } from "../client.ts";
import { type Row, t } from "../columns.ts";
import { runIsStill } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const given = { run_id: t.text, key: t.text, attempt: t.integer, call: t.integer, sealed_entry: t.bytea };

/**
 * Commits the answer to a call whose attempt is over. The call itself is the fence: an attempt that gave up waiting for the answer has
 * made the call its own. Returns false when it has, when the run has ended, or when the answer was committed already.
 */
export async function appendLateAnswer(db: Db, answer: Row<typeof given>): Promise<boolean> {
  return (await appendLate.count(db.sql, answer)) > 0;
}

const appendLate = statement({
  name: "append-late-answer",
  takes: given,
  gives: { place: t.integer },
  text: sql`
    WITH held AS (
      SELECT id FROM runs WHERE id = $run_id AND ${runIsStill.open()} FOR SHARE
    ), over AS (
      DELETE FROM run_open_calls USING held
      WHERE run_id = held.id AND key = $key AND attempt = $attempt AND call = $call
      RETURNING run_id
    ), counted AS (
      INSERT INTO run_journals AS journal (run_id, last_place, bytes) SELECT run_id, 1, length($sealed_entry) FROM over
      ON CONFLICT (run_id) DO UPDATE
        SET last_place = journal.last_place + excluded.last_place, bytes = journal.bytes + excluded.bytes
      RETURNING run_id, last_place
    )
    INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry)
    SELECT run_id, $key, last_place, $attempt, 'call', 'gateway', $sealed_entry FROM counted
    ON CONFLICT (run_id, key) DO NOTHING
    RETURNING place`,
});
