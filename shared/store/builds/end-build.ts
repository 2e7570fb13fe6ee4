import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { runIs } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { BuildFence } from "./claim-build.ts";

/** What a build made, or why it failed. */
export type BuildEnding = { output: unknown; lock: string | null } | { error: string };

/** Ends a build, once. Returns the runs that waited for it. */
export async function endBuild(db: Db, build: BuildFence, ending: BuildEnding): Promise<string[]> {
  const { agent_id, version, attempts } = build;
  const made = "error" in ending ? { error: ending.error, output: null, lock: null } : { error: null, ...ending };
  const row = await end.first(db.sql, { agent_id, version, attempts, ...made });
  return [...(row?.run_ids ?? [])];
}

const end = statement({
  name: "end-build",
  takes: {
    agent_id: t.text,
    version: t.text,
    attempts: t.integer,
    error: orNull(t.text),
    output: orNull(t.json()),
    lock: orNull(t.text),
  },
  gives: { run_ids: orNull(listOf(t.text)) },
  text: sql`
    WITH ended AS (
      UPDATE builds SET state = CASE WHEN $error IS NULL THEN 'ready' ELSE 'failed' END::build_state, error = $error,
        output = $output, lock = $lock, ended_at = now(), lease_until = NULL
      WHERE agent_id = $agent_id AND version = $version AND attempts = $attempts AND state = 'building'
      RETURNING agent_id, version
    )
    SELECT array_agg(id) AS run_ids FROM (
      SELECT r.id FROM runs r JOIN ended USING (agent_id, version)
      WHERE ${runIs.queued("r")} AND r.wait_reason = 'building' ORDER BY r.created_at LIMIT 1000
    ) AS waiting`,
});
