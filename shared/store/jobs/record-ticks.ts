import type { Queryable } from "../client.ts";

export type Tick = { job_id: string; at: Date; manual: boolean };

/** Takes a tick for the transaction that fires it. False: it was fired before. */
export async function takeTick(client: Queryable, { job_id, at, manual }: Tick): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO job_ticks (job_id, scheduled_at, manual, outcome) VALUES ($1, $2, $3, 'fired')
     ON CONFLICT (job_id, scheduled_at, manual) DO NOTHING`,
    [job_id, at, manual],
  );
  return rowCount === 1;
}

/** What became of a tick: its run, or why there is none. */
export type Settlement = { run_id: string; reason: null } | { run_id: null; reason: string };

export async function settleTick(client: Queryable, { job_id, at, manual }: Tick, end: Settlement): Promise<void> {
  await client.query(
    `UPDATE job_ticks SET run_id = $4, reason = $5,
       outcome = CASE WHEN $5::text IS NULL THEN 'fired' ELSE 'skipped' END::tick_outcome
     WHERE job_id = $1 AND scheduled_at = $2 AND manual = $3`,
    [job_id, at, manual, end.run_id, end.reason],
  );
}

/** Notes ticks that nobody was there to fire. */
export async function recordMissed(client: Queryable, jobId: string, ticks: Date[]): Promise<void> {
  if (ticks.length === 0) return;
  await client.query(
    `INSERT INTO job_ticks (job_id, scheduled_at, outcome) SELECT $1, at, 'missed' FROM unnest($2::timestamptz[]) AS at
     ON CONFLICT (job_id, scheduled_at, manual) DO NOTHING`,
    [jobId, ticks],
  );
}
