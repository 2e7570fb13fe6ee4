import type { RunStatus } from "../../domain/run/run-status.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { runIsStill } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A run that is to end, as it was when that was asked for. */
type CancelledRun = { id: string; attempt: number; status: RunStatus };

/**
 * Asks for the end of all runs below a run that has ended or is to end, but for detached ones and what is below them. One
 * statement: once it is committed each of them ends, whatever happens to this process. `by`: who wants it; null: the service itself.
 */
export async function cancelDescendants(db: Db, id: string, by: string | null): Promise<CancelledRun[]> {
  return cancel.rows(db.sql, { id, by });
}

const cancel = statement({
  name: "cancel-runs-below",
  takes: { id: t.text, by: orNull(t.text) },
  gives: { id: t.text, attempt: t.integer, status: t.enumeration<RunStatus>("run_status") },
  text: sql`
    WITH RECURSIVE below AS (
      SELECT id FROM runs WHERE parent_run_id = $id AND NOT detached
      UNION ALL
      SELECT child.id FROM below JOIN runs AS child ON child.parent_run_id = below.id WHERE NOT child.detached
    ), open AS (
      SELECT id FROM runs WHERE id IN (SELECT id FROM below) AND ${runIsStill.open()} ORDER BY id FOR UPDATE
    ), leaves AS (
      UPDATE runs SET has_children = false WHERE id = $id AND has_children AND ${runIsStill.ended()}
    )
    UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now()),
      cancel_requested_by = CASE WHEN cancel_requested_at IS NULL THEN $by ELSE cancel_requested_by END
    FROM open WHERE runs.id = open.id
    RETURNING runs.id, runs.attempt, runs.status`,
});
