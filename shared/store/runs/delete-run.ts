import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "./run-is.ts";

/**
 * Removes a run that has ended, with its transcript, timeline and artifacts, unless the run that has started it may still read its
 * result. `has_children`: runs that end with it were not asked to yet, and only its row tells of them.
 */
export async function deleteRun(
  db: Db,
  id: string,
  owner: Owner,
): Promise<"deleted" | "missing" | "not_ended" | "has_children" | "parent_not_ended"> {
  if ((await remove.count(db.sql, { id, owner })) === 1) return "deleted";
  const select = { completed_at: true, has_children: true };
  const left = await db.prisma.run.findUnique({ where: { id, ...ownedBy(owner) }, select });
  if (!left) return "missing";
  if (left.completed_at === null) return "not_ended";
  return left.has_children ? "has_children" : "parent_not_ended";
}

/** SQL: true for a row of `runs` whose result the run that has started it may still wait for, or read again. */
export const hasOpenParent: Sql = sql`(parent_run_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs AS parent WHERE parent.id = runs.parent_run_id AND parent.completed_at IS NULL))`;

/** Tables whose rows belong to a run and have no foreign key. */
const childTables = [
  "notifications",
  "transcript_chunks",
  "run_transitions",
  "run_journals",
  "journal_entries",
  "run_waits",
  "run_checkpoints",
  "run_inputs",
  "run_calls",
  "run_open_calls",
];

/** SQL: deletes the runs that `which` selects by their id, and all that belongs to them. Returns their ids. */
export function deleteRuns(which: Sql): Sql {
  const children = childTables.map(
    (table) =>
      sql`, ${raw(`of_${table}`)} AS (DELETE FROM ${raw(table)} AS child USING gone WHERE child.run_id = gone.id)`,
  );
  return children.reduce(
    (text, child) => sql`${text}${child}`,
    sql`WITH gone AS (DELETE FROM runs WHERE id IN (${which}) RETURNING id)`,
  );
}

const remove = statement({
  name: "delete-run",
  takes: { id: t.text, owner: orNull(t.text) },
  gives: { id: t.text },
  text: sql`
    ${deleteRuns(sql`SELECT id FROM runs WHERE id = $id AND ($owner IS NULL OR user_id = $owner) AND ${runIs.ended()}
      AND NOT has_children AND NOT ${hasOpenParent}`)}
    SELECT id FROM gone`,
});
