import type { Db } from "../client.ts";

/** More would take longer to count than anybody waits, and change the picture little. */
const newest = 5_000;

/** How many of an agent's threads that were made in a stretch of time have how many runs; of its newest ones. */
export async function readSessionDepth(
  db: Db,
  agent_id: string,
  { since, until }: { since: Date; until: Date },
): Promise<{ runs: number; threads: number }[]> {
  const { rows } = await db.sql.query<{ runs: number; threads: number }>({
    name: "read-session-depth",
    text: `
      SELECT runs, count(*)::int AS threads FROM (
        SELECT (SELECT count(*)::int FROM runs WHERE runs.thread_id = recent.id AND runs.thread_id IS NOT NULL) AS runs
        FROM (SELECT id FROM threads WHERE agent_id = $1 AND created_at >= $2 AND created_at < $3
          ORDER BY created_at DESC LIMIT ${newest}) AS recent) AS depth
      GROUP BY runs ORDER BY runs`,
    values: [agent_id, since, until],
  });
  return rows;
}
