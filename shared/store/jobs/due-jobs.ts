import type { Db, Queryable } from "../client.ts";
import type { Job } from "../generated/client.ts";
import type { Owner } from "../owned-by.ts";

export type DueJob = { job: Job; due: Date; now: Date };

/** Locks the job that has been due for longest, if nobody else has it; none of `except`. `now` is Postgres' clock. */
export async function lockDueJob(client: Queryable, except: string[]): Promise<DueJob | null> {
  const { rows } = await client.query<Job & { next_tick_at: Date; now: Date }>({ ...due, values: [except] });
  const [row] = rows;
  if (!row) return null;
  const { now, ...job } = row;
  return { job, due: job.next_tick_at, now };
}

const due = {
  name: "lock-due-job",
  text: `
    SELECT *, now() AS now FROM jobs
    WHERE status = 'active' AND next_tick_at IS NOT NULL AND next_tick_at <= now() AND id <> ALL ($1)
    ORDER BY next_tick_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
};

/** Locks a job, whether it is due or not. Null when the owner has no such job. */
export async function lockJob(client: Queryable, id: string, owner: Owner): Promise<{ job: Job; now: Date } | null> {
  const { rows } = await client.query<Job & { now: Date }>(
    "SELECT *, clock_timestamp() AS now FROM jobs WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) FOR UPDATE",
    [id, owner],
  );
  const [row] = rows;
  if (!row) return null;
  const { now, ...job } = row;
  return { job, now };
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

/** Milliseconds until a job is due, by Postgres' clock; null when there is none to come. */
export async function msUntilDue(db: Db): Promise<number | null> {
  const { rows } = await db.sql.query<{ ms: number | null }>(
    `SELECT (extract(epoch FROM min(next_tick_at) - clock_timestamp()) * 1000)::float8 AS ms FROM jobs
     WHERE status = 'active' AND next_tick_at IS NOT NULL`,
  );
  return rows[0]?.ms ?? null;
}
