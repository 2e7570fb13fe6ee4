import type { Db } from "../client.ts";

export type JobOutcome = { result: Record<string, number> } | { error: string };

/** Notes what came of a turn; nothing happens when it was taken for dead meanwhile. */
export async function finishJob(db: Db, id: string, outcome: JobOutcome): Promise<void> {
  const failed = "error" in outcome;
  const values = [id, failed ? null : JSON.stringify(outcome.result), failed ? outcome.error : null];
  await db.sql.query(
    `UPDATE internal_job_runs SET finished_at = now(), result = $2, error = $3,
       status = CASE WHEN $3::text IS NULL THEN 'success' ELSE 'error' END::internal_job_status
     WHERE id = $1 AND status = 'running'`,
    values,
  );
}
