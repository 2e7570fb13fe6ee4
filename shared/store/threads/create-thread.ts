import type { Db } from "../client.ts";

export type NewThread = {
  id: string;
  user_id: string;
  agent_id: string | null;
  title: string | null;
  metadata: Record<string, unknown>;
  state_snapshot: string | null;
};

/** False: the id is taken. Of concurrent calls for one id the key lets one through. */
export async function createThread(db: Db, thread: NewThread): Promise<boolean> {
  const { id, user_id, agent_id, title, metadata, state_snapshot } = thread;
  const state = state_snapshot === null ? null : JSON.stringify(state_snapshot);
  const { rowCount } = await db.sql.query({
    ...statement,
    values: [id, user_id, agent_id, title, JSON.stringify(metadata), state],
  });
  return rowCount === 1;
}

const statement = {
  name: "create-thread",
  text: `
    INSERT INTO threads (id, user_id, agent_id, title, metadata, state_snapshot) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO NOTHING`,
};
