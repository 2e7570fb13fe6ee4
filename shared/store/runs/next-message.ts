import type { Db } from "../client.ts";

/** The run that waits for an agent's daemon longest; null when none does. Runs that wait for their thread are left out. */
export async function nextMessage(db: Db, agent_id: string): Promise<string | null> {
  const { rows } = await db.sql.query<{ id: string }>({ ...statement, values: [agent_id] });
  return rows[0]?.id ?? null;
}

const statement = {
  name: "next-message",
  text: `
    SELECT id FROM runs WHERE agent_id = $1 AND status = 'queued' AND lifecycle = 'daemon'
      AND (thread_id IS NULL OR NOT EXISTS (
        SELECT 1 FROM runs ahead WHERE ahead.thread_id = runs.thread_id AND ahead.status IN ('queued', 'running')
          AND (ahead.created_at, ahead.id) < (runs.created_at, runs.id)))
    ORDER BY created_at, id LIMIT 1`,
};
