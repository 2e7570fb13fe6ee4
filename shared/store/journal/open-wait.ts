import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { endWaits, lockHeld } from "./end-waits.ts";

/**
 * What a durable run waits for. `key`: of the entry that the wait's end becomes. `sealed_entry`: what that entry says, sealed by
 * whoever opens the wait; so whoever ends it need not know it.
 */
export type NewWait = HeldRun & {
  key: string;
  kind: "timer" | "signal";
  /** The signals that end it. */
  names: readonly string[];
  /** When it ends without any: after so long, or at a time. Both null: never. */
  due_in_ms: number | null;
  due_at: Date | null;
  sealed_entry: Buffer;
};

/** `place`: of the entry that it has ended as at once; null: it is open. `due_in_ms`: when it ends by itself. */
export type OpenedWait = { place: number | null; due_in_ms: number | null };

/**
 * Opens a wait of a running attempt, and ends it at once where a signal for it has come already. A wait that is open stays as it is.
 * Returns null when the attempt is stale: nothing was written.
 */
export async function openWait(db: Db, wait: NewWait): Promise<OpenedWait | null> {
  const { id, attempt, key, ...rest } = wait;
  return inTransaction(db, async (client) => {
    if (!(await lockHeld.first(client, { id, attempt }))) return null;
    await insert.count(client, { id, attempt, key, ...rest });
    const ended = await endByEarlySignal.first(client, { id, key });
    if (ended) return { place: ended.place, due_in_ms: null };
    const open = await dueOf.first(client, { id, key });
    return { place: null, due_in_ms: open?.due_in_ms ?? null };
  });
}

const insert = statement({
  name: "open-wait",
  takes: {
    id: t.text,
    key: t.text,
    attempt: t.integer,
    kind: t.text,
    names: listOf(t.text),
    due_in_ms: orNull(t.double),
    due_at: orNull(t.timestamptz),
    sealed_entry: t.bytea,
  },
  text: sql`
    WITH begun AS (
      INSERT INTO run_journals (run_id, last_place, bytes) VALUES ($id, 0, 0) ON CONFLICT (run_id) DO NOTHING
    )
    INSERT INTO run_waits (run_id, key, attempt, kind, names, due_at, sealed_entry)
    SELECT $id, $key, $attempt, $kind, $names,
      coalesce($due_at, clock_timestamp() + $due_in_ms * interval '1 ms'), $sealed_entry
    WHERE NOT EXISTS (SELECT 1 FROM journal_entries WHERE run_id = $id AND key = $key)
    ON CONFLICT (run_id, key) DO NOTHING`,
});

const dueOf = statement({
  name: "read-wait",
  takes: { id: t.text, key: t.text },
  gives: { due_in_ms: orNull(t.double) },
  text: sql`
    SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::double precision AS due_in_ms
    FROM run_waits WHERE run_id = $id AND key = $key`,
});

const endByEarlySignal = statement({
  name: "end-wait-by-early-signal",
  takes: { id: t.text, key: t.text },
  gives: { place: t.integer },
  text: sql`
    WITH ending AS (
      SELECT wait.run_id, wait.key, 'signal' AS kind, early.id AS input_id, 1 AS nth FROM run_waits wait, LATERAL (
        SELECT id FROM run_inputs
        WHERE run_id = wait.run_id AND kind = 'signal' AND taken_by IS NULL AND name = ANY(wait.names)
        ORDER BY number LIMIT 1
      ) AS early
      WHERE wait.run_id = $id AND wait.key = $key
    ), ${endWaits("worker")}
    SELECT last_place AS place FROM counted`,
});
