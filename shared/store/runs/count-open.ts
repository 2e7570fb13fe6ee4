import type { Db } from "../client.ts";

export type OpenRuns = { scheduled: number; queued: number; running: number; interrupted: number };

/** Of an agent, of a user, or of all; `since` and `until`: when they were made. */
type Whose = { agent_id?: string; user_id?: string | null; since?: Date; until?: Date };

/** How many runs have not ended now. */
export async function countOpenRuns(db: Db, { agent_id, user_id, since, until }: Whose): Promise<OpenRuns> {
  const values = [agent_id ?? null, user_id ?? null, since ?? null, until ?? null];
  const { rows } = await db.sql.query<OpenRuns>({ ...statement, values });
  return rows[0] ?? { scheduled: 0, queued: 0, running: 0, interrupted: 0 };
}

const count = (status: keyof OpenRuns) => `count(*) FILTER (WHERE status = '${status}')::int AS ${status}`;

// Each half has a small index of its own.
const statement = {
  name: "count-open-runs",
  text: `
    SELECT ${count("scheduled")}, ${count("queued")}, ${count("running")}, ${count("interrupted")} FROM (
      SELECT status, agent_id, user_id, created_at FROM runs WHERE status IN ('scheduled', 'queued', 'interrupted')
      UNION ALL SELECT status, agent_id, user_id, created_at FROM runs WHERE status = 'running'
    ) AS open
    WHERE ($1::text IS NULL OR agent_id = $1) AND ($2::text IS NULL OR user_id = $2)
      AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)`,
};
