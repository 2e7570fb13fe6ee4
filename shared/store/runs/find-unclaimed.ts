import type { Db } from "../client.ts";

/**
 * Queued runs that have waited longer than a nudge takes, oldest first: their nudge was lost, or Redis is away. Runs that
 * wait for their thread or their agent's daemon, or whose agent is paused, are left out.
 */
export async function findUnclaimedRuns(db: Db, olderThanMs: number, limit: number): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>({ ...statement, values: [olderThanMs, limit] });
  return rows.map((row) => row.id);
}

const statement = {
  name: "find-unclaimed-runs",
  text: `
    SELECT id FROM runs WHERE status = 'queued' AND lifecycle <> 'daemon' AND created_at < now() - $1 * interval '1 ms'
      AND (thread_id IS NULL OR NOT EXISTS (
        SELECT 1 FROM runs ahead WHERE ahead.thread_id = runs.thread_id AND ahead.status IN ('queued', 'running')
          AND (ahead.created_at, ahead.id) < (runs.created_at, runs.id)))
      AND NOT EXISTS (SELECT 1 FROM agents WHERE agents.id = runs.agent_id AND agents.status = 'paused')
    ORDER BY created_at LIMIT $2`,
};
