import { childLimits } from "../../domain/run/child-limits.ts";
import { pageBytes } from "../../domain/json/cut-page.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import type { RunError } from "../../schemas/run-event.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { statusAfter } from "../runs/moves/move-runs.ts";
import { runIsStill } from "../runs/run-is.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const storedEntry = {
  key: t.text,
  place: t.integer,
  attempt: t.integer,
  kind: t.text,
  writer: t.text,
  sealed_entry: t.bytea,
  created_at: t.timestamptz,
  /** Of the input that it has taken. */
  input_id: orNull(t.text),
  input_name: orNull(t.text),
  sealed_payload: orNull(t.bytea),
  /** Of the run that it has started or waited for. `child_result`: as JSON; null: there is none, or it is too large. */
  child_id: orNull(t.text),
  child_agent: orNull(t.text),
  child_status: orNull(t.text),
  child_error: orNull(t.json<RunError>()),
  child_result: orNull(t.text),
};
export type StoredEntry = Row<typeof storedEntry>;

const pageSize = 500;

/** Yields a run's entries after the one at `after`, in their order, page by page, still sealed; see `readEntries`. */
export async function* readJournal(
  db: Db,
  run_id: string,
  begin = { after: 0, with_calls: true },
): AsyncGenerator<StoredEntry[]> {
  for (let { after } = begin; ;) {
    const page = await readEntries(db, { run_id, after, limit: pageSize, with_calls: begin.with_calls });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.place;
  }
}

/**
 * Returns a run's entries after a place, `limit` at most, and few more bytes than a page may have. `with_calls`: also those that are
 * of no step: recorded calls, and what the run goes on with as a fresh one.
 */
export async function readEntries(
  db: Db,
  page: { run_id: string; after: number; limit: number; with_calls: boolean },
): Promise<StoredEntry[]> {
  return read.rows(db.sql, page);
}

const read = statement({
  name: "read-journal",
  takes: { run_id: t.text, after: t.integer, limit: t.integer, with_calls: t.boolean },
  gives: storedEntry,
  text: sql`
    SELECT sized.key, sized.place, sized.attempt, sized.kind, sized.writer, sized.sealed_entry, sized.created_at,
      sized.input_id, input.name AS input_name, input.sealed_payload,
      sized.child_id, child.agent_id AS child_agent, child.status::text AS child_status, child.error AS child_error,
      CASE WHEN sized.child_bytes <= ${literal(childLimits.result_bytes)} THEN child.result_content::text END AS child_result
    FROM (
      SELECT *, sum(bytes) OVER (ORDER BY place) - bytes AS before FROM (
        SELECT *, length(sealed_entry) + least(coalesce(child_bytes, 0), ${literal(childLimits.result_bytes)}) AS bytes FROM (
          SELECT key, place, attempt, kind, writer, sealed_entry, created_at, input_id, child_id, CASE WHEN child_id IS NOT NULL
            THEN (SELECT octet_length(result_content::text) FROM runs WHERE id = child_id) END AS child_bytes
          FROM journal_entries
          WHERE run_id = $run_id AND place > $after AND ($with_calls OR kind NOT IN ('call', 'continued')) ORDER BY place LIMIT $limit
        ) AS listed
      ) AS next
    ) AS sized
    LEFT JOIN run_inputs input ON input.run_id = $run_id AND input.id = sized.input_id
    LEFT JOIN runs child ON child.id = sized.child_id
    WHERE before < ${literal(pageBytes)} ORDER BY place`,
});

/** How far a run's journal goes. `told_place`: up to which entry its readers were told what its waits have come to. */
export async function readJournalHead(db: Db, run_id: string): Promise<{ last_place: number; told_place: number }> {
  return (await head.first(db.sql, { run_id })) ?? { last_place: 0, told_place: 0 };
}

const head = statement({
  name: "read-journal-head",
  takes: { run_id: t.text },
  gives: { last_place: t.integer, told_place: t.integer },
  text: sql`SELECT last_place, told_place FROM run_journals WHERE run_id = $run_id`,
});

/**
 * Drops entries and open waits of a running attempt, so that it does anew what they are of. What they had taken of its inputs is given
 * back. Returns the ids of the runs that were waited for: nothing does any more.
 */
export async function dropEntries(db: Db, { id, attempt }: HeldRun, keys: readonly string[]): Promise<string[]> {
  return (await drop.rows(db.sql, { id, attempt, keys })).map(({ child_id }) => child_id);
}

const drop = statement({
  name: "drop-journal-entries",
  takes: { id: t.text, attempt: t.integer, keys: listOf(t.text) },
  gives: { child_id: t.text },
  text: sql`
    WITH dropped AS (
      DELETE FROM journal_entries WHERE run_id = $id AND key = ANY($keys)
        AND EXISTS (SELECT 1 FROM runs WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()})
      RETURNING run_id, key
    ), gone AS (
      DELETE FROM run_waits WHERE run_id = $id AND key = ANY($keys)
        AND EXISTS (SELECT 1 FROM runs WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()})
      RETURNING child_id
    ), given_back AS (
      UPDATE run_inputs SET taken_by = NULL FROM dropped
      WHERE run_inputs.run_id = dropped.run_id AND run_inputs.taken_by = dropped.key
    )
    SELECT child_id FROM gone WHERE child_id IS NOT NULL`,
});

/** Returns the attempts of a run whose usage was added to the run's when they ended. */
export async function countedAttempts(db: Db, run_id: string): Promise<number[]> {
  return (await counted.rows(db.sql, { run_id })).map(({ attempt }) => attempt);
}

const counted = statement({
  name: "counted-attempts",
  takes: { run_id: t.text },
  gives: { attempt: t.integer },
  text: sql`
    SELECT DISTINCT attempt FROM run_transitions
    WHERE run_id = $run_id AND "to" IN (${statusAfter("interrupt")}, ${statusAfter("retry")}, ${statusAfter("suspend")})`,
});
