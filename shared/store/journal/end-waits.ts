import { t } from "../columns.ts";
import { runIsStill } from "../runs/run-is.ts";
import { literal, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Until the transaction's end nobody else ends a wait of the run, or moves it. */
export const lockHeld = statement({
  name: "lock-held-run",
  takes: { id: t.text, attempt: t.integer },
  gives: { id: t.text },
  text: sql`SELECT id FROM runs WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()} FOR NO KEY UPDATE`,
});

/**
 * SQL: ends the waits that the CTE `ending` names, as entries of their runs' journals, in the order of its `nth`. Its columns:
 * run_id, key, the entry's kind, the input that it takes, nth. The caller holds the runs' locks. `goes_on` names the runs whose code
 * can go on then, if they are suspended.
 */
export const endWaits = (writer: string): Sql => sql`
    gone AS (
      DELETE FROM run_waits USING ending WHERE run_waits.run_id = ending.run_id AND run_waits.key = ending.key
      RETURNING run_waits.run_id, run_waits.key, run_waits.attempt, run_waits.sealed_entry, run_waits.child_id, run_waits.condition,
        run_waits.most_open, run_waits.or_failed, ending.kind, ending.input_id, ending.nth
    ), goes_on AS (
      SELECT run_id FROM gone WHERE condition IS NULL OR (or_failed AND ${hasFailed(sql`kind`)})
      UNION
      SELECT run_id FROM (
        SELECT run_id, condition, most_open, count(*) AS ended FROM gone WHERE condition IS NOT NULL GROUP BY 1, 2, 3
      ) AS part
      WHERE most_open >= (SELECT count(*) FROM run_waits WHERE run_id = part.run_id AND condition = part.condition) - ended
    ), counted AS (
      INSERT INTO run_journals AS journal (run_id, last_place, bytes, lost_before)
      SELECT run_id, count(*), sum(length(sealed_entry)), (SELECT lost_attempts FROM runs WHERE id = run_id)
      FROM gone GROUP BY run_id ORDER BY run_id
      ON CONFLICT (run_id) DO UPDATE
        SET last_place = journal.last_place + excluded.last_place, bytes = journal.bytes + excluded.bytes,
          lost_before = excluded.lost_before
      RETURNING journal.run_id, journal.last_place
    ), written AS (
      INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry, input_id, child_id)
      SELECT run_id, gone.key, counted.last_place + 1 - row_number() OVER (PARTITION BY run_id ORDER BY gone.nth DESC),
        gone.attempt, gone.kind, ${literal(writer)}, gone.sealed_entry, gone.input_id, gone.child_id
      FROM gone JOIN counted USING (run_id)
    ), taken AS (
      UPDATE run_inputs SET taken_by = gone.key FROM gone
      WHERE run_inputs.run_id = gone.run_id AND run_inputs.id = gone.input_id
    )`;

/** SQL: the kinds of the entries that waits end as. */
export const endsOfWaits = sql`('timer', 'signal', 'late', 'child', 'child_failed')`;

/** SQL: true for a wait that has ended as what the code is told as an error. */
export const hasFailed = (kind: Sql): Sql => sql`${kind} IN ('late', 'child_failed')`;

/** SQL of the CTE `ending`: the waits of the runs in the CTE `of` whose time has come. */
export const dueWaits = (of: Sql): Sql => sql`
    ending AS (
      SELECT wait.run_id, wait.key, CASE wait.kind WHEN 'signal' THEN 'late' ELSE wait.kind END AS kind,
        NULL::text AS input_id, row_number() OVER (ORDER BY wait.due_at, wait.number) AS nth
      FROM ${of} AS due, LATERAL (
        SELECT * FROM run_waits WHERE run_id = due.id AND due_at <= clock_timestamp() OFFSET 0
      ) AS wait
    )`;
