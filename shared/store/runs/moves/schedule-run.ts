import type { RunError, StreamEvent, Usage } from "../../../schemas/run-event.ts";
import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { moveRuns } from "./move-runs.ts";
import { nextOfAgent } from "./next-waiting.ts";
import type { HeldRun } from "./renew-leases.ts";
import { runIs } from "../run-is.ts";
import { chunkColumns, chunkOf, givenChunk, insertChunks } from "../transcript/transcript-chunk.ts";

export type RetrySchedule = {
  run: HeldRun;
  /** When it joins the queue again, and how long it may wait there. */
  at: Date;
  queue_ttl_ms: number;
  /** Why its attempt failed. */
  error: RunError;
  /** Of all its attempts together. */
  usage: Usage | null;
  duration_ms: number;
  /** What the transcript doesn't hold yet. */
  events: StreamEvent[];
};

/**
 * Puts a run aside whose agent failed and is to be tried again: its slot is free, its attempt is over. Returns null when the
 * attempt is stale or somebody has asked to cancel the run. `next_run_id`: a run that waited for a slot of the same agent.
 */
export async function scheduleRun(db: Db, scheduling: RetrySchedule): Promise<{ next_run_id: string | null } | null> {
  const { run, events, error, ...rest } = scheduling;
  const { id, attempt } = run;
  return schedule.first(db.sql, { id, attempt, error, reason: error.code, ...rest, ...chunkOf(events) });
}

const schedule = statement({
  name: "schedule-run",
  takes: {
    id: t.text,
    attempt: t.integer,
    at: t.timestamptz,
    queue_ttl_ms: t.double,
    error: t.json<RunError>(),
    usage: orNull(t.json<Usage>()),
    duration_ms: t.integer,
    reason: t.text,
    ...chunkColumns,
  },
  gives: { next_run_id: orNull(t.text) },
  text: sql`
    WITH ${moveRuns("retry", {
      set: sql`scheduled_at = $at, expires_at = $at + $queue_ttl_ms * interval '1 ms',
        failed_attempts = failed_attempts + 1, last_seq = $last_seq, error = $error, usage = $usage,
        duration_ms = $duration_ms`,
      returning: sql`runs.user_id, runs.agent_id, runs.concurrency, runs.concurrency_key`,
      reason: sql`$reason`,
    })}, transcript AS (
      ${insertChunks(sql`SELECT id, attempt, ${givenChunk} FROM moved`)}
    )
    SELECT ${nextOfAgent("moved")} AS next_run_id FROM moved`,
});

/** Lets runs join the queue whose time has come. Returns their ids. Any number of callers: SKIP LOCKED parts the rows. */
export async function releaseRuns(db: Db, limit: number): Promise<string[]> {
  const rows = await release.rows(db.sql, { limit });
  return rows.map(({ id }) => id);
}

const release = statement({
  name: "release-runs",
  takes: { limit: t.integer },
  gives: { id: t.text },
  text: sql`
    WITH due AS (
      SELECT id, attempt FROM runs WHERE ${runIs.scheduled()} AND scheduled_at <= now()
      ORDER BY scheduled_at LIMIT $limit FOR UPDATE SKIP LOCKED
    ), ${moveRuns("release", {
      source: "due",
      set: sql`scheduled_at = NULL, debounce_key = NULL`,
      reason: sql`CASE WHEN attempt = 0 THEN 'delay' ELSE 'retry' END`,
    })}
    SELECT id FROM moved`,
});
