import type { Queryable } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs, runIsStill } from "../runs/run-is.ts";

/** The runs of a job that have not ended. */
export async function findOpenRuns(client: Queryable, jobId: string): Promise<string[]> {
  const rows = await open.rows(client, { job_id: jobId });
  return rows.map((row) => row.id);
}

const open = statement({
  name: "find-open-runs-of-job",
  takes: { job_id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM runs WHERE job_id = $job_id AND ${runIs.open()}`,
});

/**
 * Asks for the end of runs, in the transaction that starts the next one: whatever happens to this process after it, their
 * workers find it in their rows.
 */
export async function askToCancel(client: Queryable, runIds: string[]): Promise<void> {
  await ask.count(client, { ids: runIds });
}

const ask = statement({
  name: "ask-to-cancel-runs",
  takes: { ids: listOf(t.text) },
  text: sql`
    UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now())
    WHERE id = ANY($ids) AND ${runIsStill.open()}`,
});
