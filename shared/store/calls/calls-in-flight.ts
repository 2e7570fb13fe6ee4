import type { Batch } from "../batch.ts";
import { type Row, t } from "../columns.ts";
import type { Db } from "../client.ts";
import { parameterRows } from "../parameter-rows.ts";
import { runIsStill } from "../runs/run-is.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const named = { run_id: t.text, key: t.text, attempt: t.integer, call: t.integer };

/** A recorded call that is under way. `key`: of the entry that its answer becomes. `call`: its number in its attempt. */
export type OpenCall = Row<typeof named>;

/** A reader that hasn't renewed its row for this long counts as gone. In seconds. */
const readFor: Sql = sql`interval '10 seconds'`;

/**
 * Notes that a call of a running attempt is about to be sent. Returns `read`, and notes nothing, while somebody reads the answer to
 * the same call of an earlier attempt.
 */
export const noteCallInFlight = (db: Db, call: OpenCall): Promise<"open" | "read" | "stale"> =>
  db.inBatches(opens, call);

const input = parameterRows(named);
const opens: Batch<OpenCall, "open" | "read" | "stale"> = {
  most: 256,
  apart: ({ run_id, key }) => `${run_id} ${key}`,
  async act(client, calls) {
    const found = new Map(
      (await open.rows(client, input.listsOf(calls))).map((row) => [`${row.run_id} ${row.key}`, row]),
    );
    return calls.map(({ run_id, key }) => {
      const row = found.get(`${run_id} ${key}`);
      if (!row) return "stale";
      return row.is_open ? "open" : "read";
    });
  },
};

/**
 * An attempt that makes a call has a journal from then on. The insert doesn't wait for the disk. A call is paid twice only
 * if Postgres loses its last writes and the worker dies while the call is under way.
 */
const open = statement({
  name: "note-open-calls",
  takes: input.takes,
  gives: { run_id: t.text, key: t.text, is_open: t.boolean },
  text: sql`
    WITH ${input.cte}, unflushed AS (
      SELECT set_config('synchronous_commit', 'off', true) AS is_set
    ), held AS (
      SELECT runs.id, runs.attempt FROM (SELECT DISTINCT run_id, attempt FROM input ORDER BY run_id) AS input
        JOIN runs ON runs.id = input.run_id AND runs.attempt = input.attempt
      WHERE ${runIsStill.running()} FOR SHARE OF runs
    ), begun AS (
      INSERT INTO run_journals (run_id, last_place, bytes) SELECT id, 0, 0 FROM held ON CONFLICT (run_id) DO NOTHING
    ), noted AS (
      INSERT INTO run_open_calls AS known (run_id, key, attempt, call, read_until)
      SELECT run_id, key, input.attempt, call, clock_timestamp() + ${readFor}
      FROM input JOIN held ON held.id = input.run_id AND held.attempt = input.attempt ORDER BY run_id, key
      ON CONFLICT (run_id, key) DO UPDATE
        SET attempt = excluded.attempt, call = excluded.call, read_until = excluded.read_until
        WHERE known.attempt = excluded.attempt OR known.read_until < clock_timestamp()
      RETURNING known.run_id, known.key
    )
    SELECT input.run_id, input.key, noted.key IS NOT NULL AS is_open
    FROM input JOIN held ON held.id = input.run_id AND held.attempt = input.attempt
      LEFT JOIN noted ON noted.run_id = input.run_id AND noted.key = input.key
      JOIN unflushed ON unflushed.is_set IS NOT NULL`,
});

/** Says that somebody still reads the answers to these calls. */
export async function keepReading(db: Db, calls: readonly OpenCall[]): Promise<void> {
  await renew.count(db.sql, input.listsOf(calls));
}

const renew = statement({
  name: "keep-reading-calls",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}
    UPDATE run_open_calls AS known SET read_until = clock_timestamp() + ${readFor}
    FROM input WHERE ${isInput("known")}`,
});

/** SQL: a row of `run_open_calls` is still the call of a row of `input`. */
function isInput(table: string): Sql {
  const column = (name: string): Sql => raw(`${table}.${name}`);
  return sql`${column("run_id")} = input.run_id AND ${column("key")} = input.key
    AND ${column("attempt")} = input.attempt AND ${column("call")} = input.call`;
}

/** Returns the calls of a run's earlier attempts that had no end when their attempts were lost. */
export const readCallsInFlight = (db: Db, run_id: string, attempt: number): Promise<{ key: string }[]> =>
  readOpen.rows(db.sql, { run_id, attempt });

const readOpen = statement({
  name: "read-open-calls",
  takes: { run_id: t.text, attempt: t.integer },
  gives: { key: t.text },
  text: sql`SELECT key FROM run_open_calls WHERE run_id = $run_id AND attempt < $attempt`,
});

/** Returns for how long somebody is known to read the answer to a call; null: nobody does, or it has ended. */
export async function readingFor(db: Db, run_id: string, key: string): Promise<number | null> {
  return (await readingOf.first(db.sql, { run_id, key }))?.left_ms ?? null;
}

const readingOf = statement({
  name: "read-open-call",
  takes: { run_id: t.text, key: t.text },
  gives: { left_ms: t.double },
  text: sql`
    SELECT (extract(epoch FROM read_until - clock_timestamp()) * 1000)::double precision AS left_ms
    FROM run_open_calls WHERE run_id = $run_id AND key = $key`,
});
