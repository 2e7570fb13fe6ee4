import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import type { Owner } from "../owned-by.ts";
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
  const found = await remove.first(db.sql, { id, owner });
  if (!found) return "missing";
  if (found.deleted) return "deleted";
  if (!found.ended) return "not_ended";
  if (found.has_children) return "has_children";
  // Nothing was in its way, so somebody else has deleted it.
  return found.has_open_parent ? "parent_not_ended" : "missing";
}

/** SQL: true for a row of `runs` whose result the run that has started it may still wait for, or read again. */
export const hasOpenParent: Sql = sql`(parent_run_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs AS parent WHERE parent.id = runs.parent_run_id AND parent.completed_at IS NULL))`;

const isOwners: Sql = sql`id = $id AND ($owner IS NULL OR user_id = $owner)`;

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

/** What was in a deletion's way is of the same snapshot: a moment later it may be gone. */
const remove = statement({
  name: "delete-run",
  takes: { id: t.text, owner: orNull(t.text) },
  gives: { deleted: t.boolean, ended: t.boolean, has_children: t.boolean, has_open_parent: t.boolean },
  text: sql`
    ${deleteRuns(sql`SELECT id FROM runs WHERE ${isOwners} AND ${runIs.ended()}
      AND NOT has_children AND NOT ${hasOpenParent}`)}
    SELECT EXISTS (SELECT FROM gone) AS deleted, ${runIs.ended()} AS ended, has_children, ${hasOpenParent} AS has_open_parent
    FROM runs WHERE ${isOwners}`,
});
