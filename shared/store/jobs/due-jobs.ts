import type { Queryable } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Owner } from "../owned-by.ts";
import type { JobRow } from "./job-columns.ts";

/** A job that is locked, and what Postgres' clock says. */
export type LockedJob<Row = JobRow> = { job: Row; now: Date };
type Due = JobRow & { next_tick_at: Date };

/** Locks the job that has been due for longest, if nobody else has it; none of `except`. */
export async function lockDueJob(client: Queryable, except: string[]): Promise<LockedJob<Due> | null> {
  return split(await lockDue.first(client, { except }));
}

/** The columns of a job's row. */
const jobRow = {
  id: t.text,
  user_id: t.text,
  agent_id: t.text,
  version: t.text,
  name: orNull(t.text),
  input_payload: t.json<JobRow["input_payload"]>(),
  run_options: t.json<JobRow["run_options"]>(),
  run_context: orNull(t.json<JobRow["run_context"]>()),
  sealed_env: orNull(t.bytea),
  schedule: orNull(t.text),
  timezone: t.text,
  jitter_ms: orNull(t.integer),
  overlap: t.enumeration<JobRow["overlap"]>("job_overlap"),
  catch_up: t.enumeration<JobRow["catch_up"]>("job_catch_up"),
  status: t.enumeration<JobRow["status"]>("job_status"),
  last_tick_at: orNull(t.timestamptz),
  ends_at: orNull(t.timestamptz),
  metadata: t.json<JobRow["metadata"]>(),
  created_at: t.timestamptz,
  updated_at: t.timestamptz,
};
const jobColumns = joined(Object.keys(jobRow).map(raw), ", ");

const lockDue = statement({
  name: "lock-due-job",
  takes: { except: listOf(t.text) },
  gives: { ...jobRow, next_tick_at: t.timestamptz, now: t.timestamptz },
  text: sql`
    SELECT ${jobColumns}, next_tick_at, now() FROM jobs
    WHERE status = 'active' AND next_tick_at IS NOT NULL AND next_tick_at <= now() AND id <> ALL ($except)
    ORDER BY next_tick_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
});

/** Locks a job, whether it is due or not. Returns null when the owner has no such job. */
export async function lockJob(client: Queryable, id: string, owner: Owner): Promise<LockedJob | null> {
  return split(await lock.first(client, { id, owner }));
}

const lock = statement({
  name: "lock-job",
  takes: { id: t.text, owner: orNull(t.text) },
  gives: { ...jobRow, next_tick_at: orNull(t.timestamptz), now: t.timestamptz },
  text: sql`
    SELECT ${jobColumns}, next_tick_at, clock_timestamp() AS now FROM jobs
    WHERE id = $id AND ($owner IS NULL OR user_id = $owner) FOR UPDATE`,
});

function split<Row extends JobRow>(row: (Row & { now: Date }) | null): LockedJob<Row> | null {
  return row ? { job: row, now: row.now } : null;
}

/** Moves a job to its next tick; without one it is completed. Its lock is held. */
export async function moveJob(client: Queryable, id: string, last: Date, next: Date | null): Promise<void> {
  await move.count(client, { id, last, next });
}

const move = statement({
  name: "move-job",
  takes: { id: t.text, last: t.timestamptz, next: orNull(t.timestamptz) },
  text: sql`
    UPDATE jobs SET last_tick_at = $last, next_tick_at = $next,
      status = CASE WHEN $next IS NULL THEN 'completed' ELSE status END
    WHERE id = $id`,
});
