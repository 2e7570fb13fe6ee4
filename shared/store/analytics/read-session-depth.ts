import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** More would take longer to count than anybody waits, and change the picture little. */
const newest = literal(5_000);

/** How many of an agent's threads that were made in a time range have how many runs; of its newest ones. */
export async function readSessionDepth(
  db: Db,
  agent_id: string,
  range: { since: Date; until: Date },
): Promise<{ runs: number; threads: number }[]> {
  return read.rows(db.sql, { agent_id, ...range });
}

const read = statement({
  name: "read-session-depth",
  takes: { agent_id: t.text, since: t.timestamptz, until: t.timestamptz },
  gives: { runs: t.integer, threads: t.integer },
  text: sql`
    SELECT runs, count(*)::int AS threads FROM (
      SELECT (SELECT count(*)::int FROM runs WHERE runs.thread_id = recent.id AND runs.thread_id IS NOT NULL) AS runs
      FROM (SELECT id FROM threads WHERE agent_id = $agent_id AND created_at >= $since AND created_at < $until
        ORDER BY created_at DESC LIMIT ${newest}) AS recent) AS depth
    GROUP BY runs ORDER BY runs`,
});
