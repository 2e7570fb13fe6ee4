import type { Usage } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";

/** What a run's attempts have taken by `now`, which is Postgres' time. The waits between them are none of it. */
export type Spent = { now: Date; usage: Usage | null; duration_ms: number };

/** Null when there is no such run any more. */
export async function readSpent(db: Db, runId: string): Promise<Spent | null> {
  const { rows } = await db.sql.query<Spent>({ ...statement, values: [runId] });
  return rows[0] ?? null;
}

const statement = {
  name: "read-spent",
  text: `
    SELECT now, usage, (coalesce(duration_ms, 0) + CASE WHEN status = 'running' THEN
        round(greatest(0, extract(epoch FROM now - begun.at) * 1000)) ELSE 0 END)::float8 AS duration_ms
    FROM runs CROSS JOIN clock_timestamp() AS now LEFT JOIN LATERAL (
      SELECT at FROM run_transitions WHERE run_id = runs.id AND "to" = 'running' ORDER BY seq DESC LIMIT 1) AS begun ON true
    WHERE id = $1`,
};
