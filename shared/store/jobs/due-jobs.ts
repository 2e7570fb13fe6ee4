import type { Queryable } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import type { JobRow } from "./job-columns.ts";

/** A job that is locked, and what Postgres' clock says. */
export type LockedJob<Row = JobRow> = { job: Row; now: Date };
type Due = JobRow & { next_tick_at: Date };

/** Locks the job that has been due for longest, if nobody else has it; none of `except`. */
export async function lockDueJob(client: Queryable, except: string[]): Promise<LockedJob<Due> | null> {
  const { rows } = await client.query<Due & { now: Date }>({ ...due, values: [except] });
  return split(rows[0]);
}

const due = {
  name: "lock-due-job",
  text: `
    SELECT *, now() FROM jobs
    WHERE status = 'active' AND next_tick_at IS NOT NULL AND next_tick_at <= now() AND id <> ALL ($1)
    ORDER BY next_tick_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
};

/** Locks a job, whether it is due or not. Null when the owner has no such job. */
export async function lockJob(client: Queryable, id: string, owner: Owner): Promise<LockedJob | null> {
  const { rows } = await client.query<JobRow & { now: Date }>(
    "SELECT *, clock_timestamp() AS now FROM jobs WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) FOR UPDATE",
    [id, owner],
  );
  return split(rows[0]);
}

function split<Row extends JobRow>(row: (Row & { now: Date }) | undefined): LockedJob<Row> | null {
  return row ? { job: row, now: row.now } : null;
}

/** Moves a job to its next tick; without one it is completed. Its lock is held. */
export async function moveJob(client: Queryable, id: string, last: Date, next: Date | null): Promise<void> {
  await client.query(
    `UPDATE jobs SET last_tick_at = $2, next_tick_at = $3,
       status = CASE WHEN $3::timestamptz IS NULL THEN 'completed' ELSE status END
     WHERE id = $1`,
    [id, last, next],
  );
}
