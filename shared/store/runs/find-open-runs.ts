import type { Db } from "../client.ts";

/** Runs of an agent that have not ended and that nobody cancels yet, at most `limit`. */
export async function findOpenRuns(db: Db, agentId: string, limit: number): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `SELECT id FROM runs WHERE agent_id = $1 AND cancel_requested_at IS NULL
       AND status IN ('scheduled', 'queued', 'running', 'interrupted') LIMIT $2`,
    [agentId, limit],
  );
  return rows.map((row) => row.id);
}
