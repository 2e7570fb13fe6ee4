import type { RunError, StreamEvent, Usage } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { chunkValues } from "./chunk-values.ts";
import { hasStatus } from "./has-status.ts";
import { nextOfAgent } from "./next-waiting.ts";
import type { HeldRun } from "./renew-leases.ts";

export type Scheduling = {
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
 * Puts a run aside whose agent failed and is to be tried again: its slot is free, its attempt is over. Null: the attempt is
 * stale, or somebody asked to cancel the run meanwhile. `next_run_id`: a run that waited for its place among those that its
 * agent may run at once.
 */
export async function scheduleRun(db: Db, scheduling: Scheduling): Promise<{ next_run_id: string | null } | null> {
  const { run, at, queue_ttl_ms, error, usage, duration_ms, events } = scheduling;
  const { rows } = await db.sql.query<{ next_run_id: string | null }>({
    ...schedule,
    values: [
      run.id,
      run.attempt,
      ...chunkValues(events),
      at,
      queue_ttl_ms,
      JSON.stringify(error),
      usage === null ? null : JSON.stringify(usage),
      duration_ms,
      error.code,
    ],
  });
  return rows[0] ?? null;
}

const schedule = {
  name: "schedule-run",
  text: `
    WITH held AS (
      UPDATE runs SET status = 'scheduled', scheduled_at = $6, expires_at = $6::timestamptz + $7 * interval '1 ms',
        failed_attempts = failed_attempts + 1, last_seq = $4, error = $8, usage = $9, duration_ms = $10,
        lease_until = NULL, worker_id = NULL
      WHERE id = $1 AND attempt = $2 AND ${hasStatus("runs", "running")} AND cancel_requested_at IS NULL
      RETURNING id, user_id, agent_id, concurrency
    ), transcript AS (
      INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events) SELECT id, $2, $3, $4, $5 FROM held
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, $2, 'running', 'scheduled', 'worker', $11 FROM held
    )
    SELECT ${nextOfAgent("held")} AS next_run_id
    FROM held`,
};

/** Lets runs whose time has come join the queue, and gives their ids. Any number of callers: SKIP LOCKED parts the rows. */
export async function releaseRuns(db: Db, limit: number): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>({ ...release, values: [limit] });
  return rows.map(({ id }) => id);
}

const release = {
  name: "release-runs",
  text: `
    WITH due AS (
      SELECT id FROM runs WHERE status = 'scheduled' AND scheduled_at <= now()
      ORDER BY scheduled_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ), released AS (
      UPDATE runs SET status = 'queued', scheduled_at = NULL FROM due WHERE runs.id = due.id RETURNING runs.id, runs.attempt
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, attempt, 'scheduled', 'queued', 'reconciler', 'retry' FROM released
    )
    SELECT id FROM released`,
};
