import type { Db } from "../client.ts";
import { spellConditions } from "../spell-conditions.ts";
import type { HeldBulk } from "./bulk-operations.ts";
import { bulkConditions } from "./bulk-scope.ts";

/** A run that is next, and the place in the order of (created_at, id) to go on from behind it. */
export type NextRun = { id: string; place: string };

/** The runs that come after the operation's cursor, oldest first. */
export async function nextRuns(db: Db, bulk: HeldBulk, limit: number): Promise<NextRun[]> {
  const { action, owner, filter, created_at, cursor } = bulk;
  const values: unknown[] = [];
  const where = spellConditions(bulkConditions(action, owner, filter, created_at), values);
  const [time, id] = cursor === null ? [null, null] : cursor.split("|", 2);
  values.push(time, id, limit);
  const [timeAt, idAt, limitAt] = [values.length - 2, values.length - 1, values.length];
  const { rows } = await db.sql.query<NextRun>(
    `SELECT id, created_at::text || '|' || id AS place FROM runs
     WHERE ${where} AND ($${timeAt}::timestamptz IS NULL OR (created_at, id) > ($${timeAt}::timestamptz, $${idAt}))
     ORDER BY created_at, id LIMIT $${limitAt}`,
    values,
  );
  return rows;
}

export type Progress = { done: number; failed: number; cursor: string | null; finished: boolean };

/** Notes what was done and holds the operation on. Null: the lease was lost, and another process goes on. */
export async function noteProgress(db: Db, bulk: HeldBulk, progress: Progress): Promise<HeldBulk | null> {
  const { done, failed, cursor, finished } = progress;
  const { rows } = await db.sql.query<{ lease_until: string }>({
    ...note,
    values: [bulk.id, bulk.lease_until, done, failed, cursor, finished],
  });
  return rows[0] ? { ...bulk, cursor, lease_until: rows[0].lease_until } : null;
}

const note = {
  name: "note-bulk-progress",
  text: `
    UPDATE bulk_operations SET done = done + $3, failed = failed + $4, cursor = coalesce($5, cursor),
      lease_until = now() + interval '30 seconds',
      status = CASE WHEN $6 THEN 'done'::bulk_status ELSE status END, finished_at = CASE WHEN $6 THEN now() END
    WHERE id = $1 AND status = 'running' AND lease_until = $2::timestamptz
    RETURNING lease_until::text AS lease_until`,
};
