import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { query } from "../query.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { whereClause } from "../where-clause.ts";
import type { HeldBulk } from "./bulk-operations.ts";
import { bulkConditions } from "./bulk-scope.ts";

/** A run that is next, and the place in the order of (created_at, id) to go on from behind it. */
export type NextRun = { id: string; place: string };

/** The runs that come after the operation's cursor, oldest first. */
export async function nextRuns(db: Db, bulk: HeldBulk, limit: number): Promise<NextRun[]> {
  const { action, owner, filter, created_at, cursor } = bulk;
  const where = whereClause(bulkConditions(action, owner, filter, created_at));
  const [time, id] = cursor === null ? [] : cursor.split("|", 2);
  const behind = time === undefined ? sql`true` : sql`(created_at, id) > (${time}::timestamptz, ${id})`;
  return query(
    db.sql,
    { id: t.text, place: t.text },
    sql`SELECT id, created_at::text || '|' || id AS place FROM runs
     WHERE ${where} AND ${behind} ORDER BY created_at, id LIMIT ${literal(limit)}`,
  );
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
