import type { UserUsage } from "../../schemas/user.ts";
import type { Db } from "../client.ts";

/** What a user's runs that were made in a stretch of time have used so far. */
export async function readUsage(db: Db, user_id: string, since: Date, until: Date): Promise<UserUsage> {
  const { rows } = await db.sql.query<Omit<UserUsage, "user_id" | "since" | "until">>({
    ...statement,
    values: [user_id, since, until],
  });
  const [row] = rows;
  if (!row) throw new Error("An aggregate gives one row.");
  return { user_id, since: since.toISOString(), until: until.toISOString(), ...row };
}

const sum = (field: string) => `coalesce(sum((usage->>'${field}')::float8), 0) AS ${field}`;

const statement = {
  name: "read-usage",
  text: `
    WITH mine AS (
      SELECT status, duration_ms, usage FROM runs WHERE user_id = $1 AND created_at >= $2 AND created_at < $3
    )
    SELECT count(*)::int AS runs, coalesce(sum(duration_ms), 0)::float8 AS duration_ms,
      coalesce((SELECT json_object_agg(status, n) FROM (SELECT status, count(*)::int AS n FROM mine GROUP BY status) s),
        '{}'::json) AS by_status,
      ${["cpu_ms", "input_tokens", "output_tokens", "cost_usd"].map(sum).join(", ")}
    FROM mine`,
};

/** How many of a user's runs are under way now. */
export async function countOpenRuns(db: Db, user_id: string): Promise<{ queued: number; running: number }> {
  const { rows } = await db.sql.query<{ queued: number; running: number }>(
    `SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued,
       count(*) FILTER (WHERE status = 'running')::int AS running
     FROM runs WHERE user_id = $1 AND status IN ('queued', 'running')`,
    [user_id],
  );
  return rows[0] ?? { queued: 0, running: 0 };
}
