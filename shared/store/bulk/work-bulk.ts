import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { query } from "../query.ts";
import { mostLookedAt } from "../read-page.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { whereClause } from "../where-clause.ts";
import type { HeldBulk } from "./bulk-operations.ts";
import { bulkConditions } from "./bulk-scope.ts";

/** A run that is next, and the place in the order of (created_at, id) to go on from behind it. */
export type NextRun = { id: string; place: string };

/** `horizon`: the place of the last run that was looked at, where there are more behind it. */
export type NextRuns = { runs: NextRun[]; horizon: string | null };

/**
 * Returns the runs that come after the operation's cursor, oldest first. Where no index serves a filter, only the next 10,000 runs are
 * looked at, as in lists.
 */
export async function nextRuns(db: Db, bulk: HeldBulk, limit: number): Promise<NextRuns> {
  const { action, owner, filter, created_at, cursor } = bulk;
  const { unindexed, indexed } = bulkConditions(action, owner, filter, created_at);
  const where = [whereClause(indexed), ...(cursor === null ? [] : [isAt(">", cursor)])];
  const read = (from: Sql, conditions: readonly Sql[], skipped: number, count: number): Promise<NextRun[]> =>
    query(
      db.sql,
      { id: t.text, place: t.text },
      sql`SELECT id, created_at::text || '|' || id AS place FROM ${from} WHERE ${joined(conditions, " AND ")}
       ORDER BY created_at, id OFFSET ${literal(skipped)} LIMIT ${literal(count)}`,
    );
  const table = sql`runs`;
  if (unindexed.every(([, value]) => value == null)) return { runs: await read(table, where, 0, limit), horizon: null };
  const [last] = await read(table, where, mostLookedAt - 1, 1);
  if (last) where.push(isAt("<=", last.place));
  // A subquery with a limit: for a rare value the planner could else read the whole table.
  const looked = sql`(SELECT * FROM runs WHERE ${joined(where, " AND ")} ORDER BY created_at, id
    LIMIT ${literal(mostLookedAt)}) AS runs`;
  return { runs: await read(looked, [whereClause(unindexed)], 0, limit), horizon: last?.place ?? null };
}

function isAt(compare: string, place: string): Sql {
  const [time, id] = place.split("|", 2);
  return sql`(created_at, id) ${raw(compare)} (${time}::timestamptz, ${id})`;
}

export type Progress = { done: number; failed: number; cursor: string | null; finished: boolean };

/** Notes what was done and holds the operation on. Returns null when the lease was lost, and another process goes on. */
export async function noteProgress(db: Db, bulk: HeldBulk, progress: Progress): Promise<HeldBulk | null> {
  const { cursor } = progress;
  const row = await note.first(db.sql, { id: bulk.id, held_until: bulk.lease_until, ...progress });
  return row && { ...bulk, cursor, lease_until: row.lease_until };
}

const note = statement({
  name: "note-bulk-progress",
  takes: {
    id: t.text,
    held_until: t.text,
    done: t.integer,
    failed: t.integer,
    cursor: orNull(t.text),
    finished: t.boolean,
  },
  gives: { lease_until: t.text },
  text: sql`
    UPDATE bulk_operations SET done = done + $done, failed = failed + $failed, cursor = coalesce($cursor, cursor),
      lease_until = now() + interval '30 seconds',
      status = CASE WHEN $finished THEN 'done'::bulk_status ELSE status END,
      finished_at = CASE WHEN $finished THEN now() END
    WHERE id = $id AND status = 'running' AND lease_until = $held_until::timestamptz
    RETURNING lease_until::text AS lease_until`,
});

/** Leaves an operation to whoever takes one next, after a rest. Does nothing where it is another process's by now. */
export async function giveBackBulk(db: Db, { id, lease_until }: HeldBulk, rest_ms: number): Promise<void> {
  await giveBack.count(db.sql, { id, held_until: lease_until, rest_ms });
}

const giveBack = statement({
  name: "give-back-bulk",
  takes: { id: t.text, held_until: t.text, rest_ms: t.double },
  text: sql`
    UPDATE bulk_operations SET lease_until = now() + $rest_ms * interval '1 ms'
    WHERE id = $id AND status = 'running' AND lease_until = $held_until::timestamptz`,
});
