import type { Db } from "../client.ts";

/** Notes what a running run is at; null leaves it. Answers the worker that holds it, null when it isn't running. */
export async function setCurrentStatus(db: Db, runId: string, status: string | null): Promise<string | null> {
  const { rows } = await db.sql.query<{ worker_id: string }>(
    "UPDATE runs SET current_status = coalesce($2, current_status) WHERE id = $1 AND status = 'running' RETURNING worker_id",
    [runId, status],
  );
  return rows[0]?.worker_id ?? null;
}
