import type { Db } from "../client.ts";

export type QueuedCount = { user_id: string; agent_id: string; count: number };

/** How many runs wait, of each agent and owner. */
export async function countQueuedRuns(db: Db): Promise<QueuedCount[]> {
  const { rows } = await db.sql.query<QueuedCount>(statement);
  return rows;
}

const statement = {
  name: "count-queued-runs",
  text: "SELECT user_id, agent_id, count(*)::int AS count FROM runs WHERE status = 'queued' GROUP BY user_id, agent_id",
};
