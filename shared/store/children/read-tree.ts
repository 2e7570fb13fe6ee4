import { childLimits } from "../../domain/run/child-limits.ts";
import type { RunStatus } from "../../domain/run/run-status.ts";
import type { Usage } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import type { Owner } from "../owned-by.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Returns a run and all runs below it, those higher up first. Empty when the owner has no such run. */
export async function readTree(db: Db, id: string, owner: Owner) {
  return read.rows(db.sql, { id, owner });
}

const read = statement({
  name: "read-tree",
  takes: { id: t.text, owner: orNull(t.text) },
  gives: {
    id: t.text,
    parent_run_id: orNull(t.text),
    root_run_id: t.text,
    agent_id: t.text,
    version: t.text,
    status: t.enumeration<RunStatus>("run_status"),
    depth: t.integer,
    detached: t.boolean,
    usage: orNull(t.json<Usage>()),
    duration_ms: orNull(t.integer),
    created_at: t.timestamptz,
    started_at: orNull(t.timestamptz),
    completed_at: orNull(t.timestamptz),
  },
  text: sql`
    WITH RECURSIVE tree AS (
      SELECT id FROM runs WHERE id = $id AND ($owner IS NULL OR user_id = $owner)
      UNION ALL
      SELECT child.id FROM tree JOIN runs AS child ON child.parent_run_id = tree.id
    )
    SELECT id, parent_run_id, coalesce(root_run_id, id) AS root_run_id, agent_id, version, status, depth, detached, usage,
      duration_ms, created_at, started_at, completed_at
    FROM runs WHERE id IN (SELECT id FROM tree) ORDER BY depth, created_at, id LIMIT ${literal(childLimits.tree + 1)}`,
});
