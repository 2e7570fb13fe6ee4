import type { Queryable } from "../client.ts";

/** The runs of a job that have not ended. */
export async function findOpenRuns(client: Queryable, jobId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    "SELECT id FROM runs WHERE job_id = $1 AND status IN ('scheduled', 'queued', 'running', 'interrupted')",
    [jobId],
  );
  return rows.map((row) => row.id);
}

/**
 * Asks for the end of runs, in the transaction that starts the next one: whatever happens to this process after it, their
 * workers find it in their rows.
 */
export async function askToCancel(client: Queryable, runIds: string[]): Promise<void> {
  await client.query(
    `UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now())
     WHERE id = ANY($1) AND status IN ('scheduled', 'queued', 'running', 'interrupted')`,
    [runIds],
  );
}
