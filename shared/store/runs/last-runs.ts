import type { Db } from "../client.ts";

/** When the last run of each of these agents was made; without those that never ran. */
export async function lastRunsOf(db: Db, agentIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.sql.query<{ agent_id: string; at: Date | null }>({
    name: "last-runs-of-agents",
    text: `SELECT agent_id, (SELECT max(created_at) FROM runs WHERE runs.agent_id = asked.agent_id) AS at
           FROM unnest($1::text[]) AS asked (agent_id)`,
    values: [agentIds],
  });
  return new Map(rows.flatMap(({ agent_id, at }) => (at ? [[agent_id, at.toISOString()]] : [])));
}
