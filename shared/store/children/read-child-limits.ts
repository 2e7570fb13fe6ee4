import { childLimits } from "../../domain/run/child-limits.ts";
import { isDevVersion } from "../agents/is-dev-version.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { runIsStill } from "../runs/run-is.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const familyColumns = {
  user_id: t.text,
  root_run_id: t.text,
  depth: t.integer,
  cancelling: t.boolean,
  /** How many runs it has started, and how many its tree has. */
  children: t.integer,
  tree: t.integer,
};

/** Returns what a running attempt's next children depend on; null when the attempt is stale. */
export async function readChildLimits(db: Db, { id, attempt }: HeldRun) {
  return family.first(db.sql, { id, attempt });
}

const family = statement({
  name: "read-family",
  takes: { id: t.text, attempt: t.integer },
  gives: familyColumns,
  text: sql`
    SELECT user_id, coalesce(root_run_id, id) AS root_run_id, depth, cancel_requested_at IS NOT NULL AS cancelling,
      (SELECT count(*)::int FROM runs child WHERE child.parent_run_id = $id) AS children,
      (SELECT 1 + count(*)::int FROM (
        SELECT FROM runs kin WHERE kin.root_run_id = coalesce(runs.root_run_id, runs.id) LIMIT ${literal(childLimits.tree)}
      ) AS kin) AS tree
    FROM runs WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()}`,
});

/**
 * Returns the runs that calls of a run's code have started. `child_id`: of the one that the journal, or an open wait, names;
 * null: the call's entry was dropped, and it starts another run.
 */
export async function readChildrenOf(db: Db, run_id: string, keys: readonly string[]) {
  return started.rows(db.sql, { run_id, keys });
}

const started = statement({
  name: "read-children-of-calls",
  takes: { run_id: t.text, keys: listOf(t.text) },
  gives: { key: t.text, started: t.integer, child_id: orNull(t.text) },
  text: sql`
    SELECT call.key,
      (SELECT count(*)::int FROM runs WHERE parent_run_id = $run_id AND parent_key = call.key) AS started,
      coalesce((SELECT child_id FROM run_waits WHERE run_id = $run_id AND key = call.key),
        (SELECT child_id FROM journal_entries WHERE run_id = $run_id AND key = call.key)) AS child_id
    FROM unnest($keys) AS call (key)`,
});

/** Returns the exact version that a name of an agent stood for when a run was accepted; null: what it stands for now. */
export async function versionAt(db: Db, agent_id: string, name: string, run_id: string): Promise<string | null> {
  return (await named.first(db.sql, { agent_id, name, run_id }))?.version ?? null;
}

const named = statement({
  name: "version-when-run-was-accepted",
  takes: { agent_id: t.text, name: t.text, run_id: t.text },
  gives: { version: orNull(t.text) },
  text: sql`
    SELECT coalesce(
      (SELECT version FROM agent_versions WHERE agent_id = $agent_id AND version = $name),
      (SELECT before FROM agent_moves WHERE agent_id = $agent_id AND name = $name AND at > run.created_at
        ORDER BY number LIMIT 1),
      CASE WHEN $name = 'latest' THEN (
        SELECT version FROM agent_versions WHERE agent_id = $agent_id AND created_at <= run.created_at
        ORDER BY ${isDevVersion}, created_at DESC, version DESC LIMIT 1) END
    ) AS version
    FROM runs run WHERE run.id = $run_id`,
});
