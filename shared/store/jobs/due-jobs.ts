import type { Db, Queryable } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Owner } from "../owned-by.ts";
import type { JobRow } from "./job-columns.ts";

/** A job, and what Postgres' clock says. */
type SeenJob<Row> = { job: Row; now: Date };
export type DueJob = JobRow & { next_tick_at: Date };

const isDue = sql`status = 'active' AND next_tick_at IS NOT NULL AND next_tick_at <= now()`;

/**
 * Returns one due job of each user, of at most `most` users: so a user with many due jobs delays nobody else's. At random, so that
 * workers that look at the same time rarely find the same; none of `except`.
 */
export async function findDueJobs(db: Db, { except, most }: { except: string[]; most: number }): Promise<string[]> {
  return (await findDue.rows(db.sql, { except, most })).map(({ id }) => id);
}

const findDue = statement({
  name: "find-due-jobs",
  takes: { except: listOf(t.text), most: t.integer },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM (
      SELECT DISTINCT ON (user_id) id FROM jobs WHERE ${isDue} AND id <> ALL ($except) ORDER BY user_id, random()
    ) AS due ORDER BY random() LIMIT $most`,
});

/** Returns a job, and what Postgres' clock says; null: the job isn't due. */
export async function readDueJob(db: Db, id: string): Promise<SeenJob<DueJob> | null> {
  return split(await readDue.first(db.sql, { id }));
}

/** Locks a job that was read. Returns false when the job has changed since, or somebody else has it. */
export async function lockDueJob(client: Queryable, { id, next_tick_at, updated_at }: DueJob): Promise<boolean> {
  const now = await lockDue.first(client, { id });
  return now?.next_tick_at.getTime() === next_tick_at.getTime() && now.updated_at.getTime() === updated_at.getTime();
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

const readDue = statement({
  name: "read-due-job",
  takes: { id: t.text },
  gives: { ...jobRow, next_tick_at: t.timestamptz, now: t.timestamptz },
  text: sql`SELECT ${jobColumns}, next_tick_at, now() FROM jobs WHERE id = $id AND ${isDue}`,
});

const lockDue = statement({
  name: "lock-due-job",
  takes: { id: t.text },
  gives: { next_tick_at: t.timestamptz, updated_at: t.timestamptz },
  text: sql`SELECT next_tick_at, updated_at FROM jobs WHERE id = $id AND ${isDue} FOR UPDATE SKIP LOCKED`,
});

/** Locks a job, whether it is due or not. Returns null when the owner has no such job. */
export async function lockJob(client: Queryable, id: string, owner: Owner): Promise<SeenJob<JobRow> | null> {
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

function split<Row extends JobRow>(row: (Row & { now: Date }) | null): SeenJob<Row> | null {
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
      status = CASE WHEN $next IS NULL THEN 'completed' ELSE status END,
      updated_at = CASE WHEN $next IS NULL THEN now() ELSE updated_at END
    WHERE id = $id`,
});
