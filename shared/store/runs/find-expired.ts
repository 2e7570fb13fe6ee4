import type { Db } from "../client.ts";
import type { SeenRun } from "./finalize-run.ts";

/** Runs that nobody took in time. */
export async function findExpiredRuns(db: Db, limit: number): Promise<SeenRun[]> {
  const { rows } = await db.sql.query<SeenRun>(
    `SELECT id, attempt, worker_id FROM runs WHERE status IN ('scheduled', 'queued', 'interrupted') AND expires_at < now()
     ORDER BY expires_at LIMIT $1`,
    [limit],
  );
  return rows;
}
