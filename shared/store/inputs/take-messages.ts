import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { runIsStill } from "../runs/run-is.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { journalLimits } from "../../domain/run/journal-limits.ts";

/** A message to a run that no entry of its journal has taken. */
const untakenMessage = {
  id: t.text,
  number: t.bigint,
  sent_id: t.text,
  sealed_payload: t.bytea,
};

/** As many as one entry takes. */
const most = 100;

/** Returns the oldest untaken messages to a run, in their order: as many as one entry may hold. */
export async function readUntakenMessages(db: Db, run_id: string) {
  return read.rows(db.sql, { run_id });
}

const read = statement({
  name: "read-untaken-messages",
  takes: { run_id: t.text },
  gives: untakenMessage,
  text: sql`
    SELECT id, number, sent_id, sealed_payload FROM (
      SELECT *, sum(length(sealed_payload)) OVER (ORDER BY number) AS bytes FROM run_inputs
      WHERE run_id = $run_id AND kind = 'message' AND taken_by IS NULL ORDER BY number LIMIT ${literal(most)}
    ) AS oldest WHERE bytes <= ${literal(journalLimits.entry_bytes)} ORDER BY number`,
});

/** `key`: of the entry. `ids`: of the messages that it holds. */
export type MessagesEntry = HeldRun & { key: string; ids: readonly string[]; sealed_entry: Buffer };

/**
 * Commits an entry of a running attempt that takes messages. A repeat changes nothing, as of every entry. Returns the entry's place;
 * null: the attempt is stale, and nothing was written.
 */
export async function takeMessages(
  db: Db,
  { id, attempt, key, ids, sealed_entry }: MessagesEntry,
): Promise<number | null> {
  return (await take.first(db.sql, { id, attempt, key, ids, sealed_entry }))?.place ?? null;
}

const take = statement({
  name: "take-messages",
  takes: { id: t.text, attempt: t.integer, key: t.text, ids: listOf(t.text), sealed_entry: t.bytea },
  gives: { place: t.integer },
  text: sql`
    WITH held AS (
      SELECT id, lost_attempts FROM runs WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()} FOR SHARE
    ), counted AS (
      INSERT INTO run_journals AS journal (run_id, last_place, bytes, lost_before)
      SELECT id, 1, length($sealed_entry), lost_attempts FROM held
      ON CONFLICT (run_id) DO UPDATE
        SET last_place = journal.last_place + 1, bytes = journal.bytes + excluded.bytes, lost_before = excluded.lost_before
      RETURNING journal.run_id, journal.last_place
    ), written AS (
      INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry)
      SELECT run_id, $key, last_place, $attempt, 'messages', 'worker', $sealed_entry FROM counted
      ON CONFLICT (run_id, key) DO NOTHING RETURNING run_id, key
    ), taken AS (
      UPDATE run_inputs SET taken_by = written.key FROM written
      WHERE run_inputs.run_id = written.run_id AND run_inputs.id = ANY($ids)
    )
    SELECT last_place AS place FROM counted`,
});
