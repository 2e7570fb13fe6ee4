import type { Db } from "../client.ts";

/** The live worker with the most room among those that offer an adapter; null when there is none. */
export async function findTaker(db: Db, adapterType: string): Promise<string | null> {
  const { rows } = await db.sql.query<{ id: string }>({ ...statement, values: [adapterType] });
  return rows[0]?.id ?? null;
}

const statement = {
  name: "find-taker",
  text: `
    SELECT id FROM workers WHERE $1 = ANY(adapters) AND status = 'active' AND heartbeat_at > now() - interval '15 s'
    ORDER BY slots - busy DESC, random() LIMIT 1`,
};
