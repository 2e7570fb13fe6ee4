import type { RunStatus } from "../../domain/run/run-status.ts";
import type { Db } from "../client.ts";

/** How many runs have not ended, by status. */
export async function countRuns(db: Db): Promise<{ status: RunStatus; count: number }[]> {
  const { rows } = await db.sql.query<{ status: RunStatus; count: number }>(
    `SELECT status, count(*)::int AS count FROM runs
     WHERE status IN ('scheduled', 'queued', 'running', 'interrupted') GROUP BY status`,
  );
  return rows;
}
