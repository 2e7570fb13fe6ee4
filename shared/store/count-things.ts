import type { Db } from "./client.ts";

/** How many of what somebody configures there are. */
export async function countThings(db: Db): Promise<{ users: number; agents: number; daemons: Record<string, number> }> {
  const { rows } = await db.sql.query<{ users: number; agents: number; daemons: Record<string, number> }>({
    name: "count-things",
    text: `
      SELECT (SELECT count(*)::int FROM users WHERE deleted_at IS NULL) AS users,
        (SELECT count(*)::int FROM agents) AS agents,
        (SELECT coalesce(json_object_agg(status, count), '{}') FROM (
          SELECT status, count(*)::int AS count FROM daemons GROUP BY status) AS by_status) AS daemons`,
  });
  return rows[0] ?? { users: 0, agents: 0, daemons: {} };
}
