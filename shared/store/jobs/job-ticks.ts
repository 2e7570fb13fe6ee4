import type { Queryable } from "../client.ts";

export type Tick = { job_id: string; at: Date; manual: boolean };

/** Takes a tick for the transaction that fires it. False: it was fired before. */
export async function takeTick(client: Queryable, { job_id, at, manual }: Tick): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO job_ticks (job_id, scheduled_at, outcome, manual) VALUES ($1, $2, 'fired', $3)
     ON CONFLICT (job_id, scheduled_at) DO NOTHING`,
    [job_id, at, manual],
  );
  return rowCount === 1;
}

/** Notes what became of a tick: its run, or why there is none. */
export async function settleTick(
  client: Queryable,
  { job_id, at }: Tick,
  { run_id, reason }: { run_id: string | null; reason: string | null },
): Promise<void> {
  await client.query(
    `UPDATE job_ticks SET outcome = CASE WHEN $3::text IS NULL THEN 'skipped' ELSE 'fired' END::tick_outcome, run_id = $3,
       reason = $4
     WHERE job_id = $1 AND scheduled_at = $2`,
    [job_id, at, run_id, reason],
  );
}

/** Notes ticks that nobody was there to fire. */
export async function recordMissed(client: Queryable, jobId: string, ticks: Date[]): Promise<void> {
  if (ticks.length === 0) return;
  await client.query(
    `INSERT INTO job_ticks (job_id, scheduled_at, outcome) SELECT $1, at, 'missed' FROM unnest($2::timestamptz[]) AS at
     ON CONFLICT (job_id, scheduled_at) DO NOTHING`,
    [jobId, ticks],
  );
}
