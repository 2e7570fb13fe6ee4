import type { Db } from "../client.ts";
import { hasRoom, turnOf } from "../has-room.ts";
import { inTransaction } from "../in-transaction.ts";

export type NewThread = {
  id: string;
  user_id: string;
  agent_id: string | null;
  title: string | null;
  metadata: Record<string, unknown>;
  state_snapshot: string | null;
};

/** `full`: the user has `most` already. Of concurrent calls for one id the key lets one through. */
export async function createThread(db: Db, thread: NewThread, most: number): Promise<"made" | "taken" | "full"> {
  const { id, user_id, agent_id, title, metadata, state_snapshot } = thread;
  const state = state_snapshot === null ? null : JSON.stringify(state_snapshot);
  return db.inTurn(turnOf("threads", user_id), () =>
    inTransaction(db, async (client) => {
      const known = await client.query("SELECT 1 FROM threads WHERE id = $1", [id]);
      if (known.rows.length > 0) return "taken";
      if (!(await hasRoom(client, { thing: "threads", user_id, most }))) return "full";
      const values = [id, user_id, agent_id, title, JSON.stringify(metadata), state];
      const { rowCount } = await client.query({ ...statement, values });
      return rowCount === 1 ? "made" : "taken";
    }),
  );
}

const statement = {
  name: "create-thread",
  text: `
    INSERT INTO threads (id, user_id, agent_id, title, metadata, state_snapshot) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO NOTHING`,
};
