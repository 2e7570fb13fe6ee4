import type { Db } from "../client.ts";
import { isFirstOfThread } from "./claimable.ts";

/** The run that waits for an agent's daemon longest; null when none does. Runs that wait for their thread are left out. */
export async function nextMessage(db: Db, agent_id: string): Promise<string | null> {
  const { rows } = await db.sql.query<{ id: string }>({ ...statement, values: [agent_id] });
  return rows[0]?.id ?? null;
}

const statement = {
  name: "next-message",
  text: `
    SELECT id FROM runs WHERE agent_id = $1 AND status = 'queued' AND lifecycle = 'daemon'
      AND ${isFirstOfThread("runs")}
    ORDER BY created_at, id LIMIT 1`,
};
