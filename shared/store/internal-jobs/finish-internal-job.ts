import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type JobOutcome = { result: Record<string, number> } | { error: string };

/** Notes what came of a turn; nothing happens when it was taken for dead meanwhile. */
export async function finishInternalJob(db: Db, id: string, outcome: JobOutcome): Promise<void> {
  const { result = null, error = null } = "error" in outcome ? { error: outcome.error } : { result: outcome.result };
  await finish.count(db.sql, { id, result, error });
}

const finish = statement({
  name: "finish-internal-job",
  takes: { id: t.text, result: orNull(t.json<Record<string, number>>()), error: orNull(t.text) },
  text: sql`
    UPDATE internal_job_runs SET finished_at = now(), result = $result, error = $error,
      status = CASE WHEN $error IS NULL THEN 'success' ELSE 'error' END::internal_job_status
    WHERE id = $id AND status = 'running'`,
});
