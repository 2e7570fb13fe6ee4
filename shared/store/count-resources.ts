import type { Db } from "./client.ts";
import { t } from "./columns.ts";
import { sql } from "./sql.ts";
import { statement } from "./statement.ts";

/** How many of what somebody configures there are. */
export async function countResources(
  db: Db,
): Promise<{ users: number; agents: number; daemons: Record<string, number> }> {
  return (await count.first(db.sql)) ?? { users: 0, agents: 0, daemons: {} };
}

const count = statement({
  name: "count-things",
  gives: { users: t.integer, agents: t.integer, daemons: t.json<Record<string, number>>() },
  text: sql`
    SELECT (SELECT count(*)::int FROM users WHERE deleted_at IS NULL) AS users,
      (SELECT count(*)::int FROM agents) AS agents,
      (SELECT coalesce(json_object_agg(status, count), '{}') FROM (
        SELECT status, count(*)::int AS count FROM daemons GROUP BY status) AS by_status) AS daemons`,
});
