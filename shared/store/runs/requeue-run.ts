import type { Db } from "../client.ts";
import { hasStatus } from "./has-status.ts";
import type { HeldRun } from "./renew-leases.ts";

/**
 * A draining worker hands back a run that it still holds: no attempt is charged. False: it was no longer its own.
 * Its transcript must be complete before, since the next attempt's events follow at once.
 */
export async function giveBackRun(db: Db, { id, attempt }: HeldRun): Promise<boolean> {
  const result = await db.sql.query({ ...giveBack, values: [id, attempt] });
  return result.rowCount === 1;
}

const giveBack = {
  name: "give-back-run",
  text: `
    WITH queued AS (
      UPDATE runs SET status = 'queued', lease_until = NULL, worker_id = NULL
      WHERE id = $1 AND attempt = $2 AND ${hasStatus("runs", "running")} AND cancel_requested_at IS NULL RETURNING id, attempt
    )
    INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
    SELECT id, attempt, 'running', 'queued', 'worker', 'drained' FROM queued`,
};

export type LostRun = {
  id: string;
  attempt: number;
  worker_id: string | null;
  outcome: "queued" | "exhausted" | "cancelled";
};

/**
 * Takes runs whose lease ran out away from their workers: back to the queue, charged; those that can't be tried again
 * are only named, for the caller to end. Any number of reconcilers may run it: SKIP LOCKED parts the rows among them.
 * A lease that reaches further than any worker asks for is of the time before Postgres' clock was set back: it is cut to
 * `leaseMs`, which its worker prolongs if it lives.
 */
export async function requeueLostRuns(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<LostRun[]> {
  const { rows } = await db.sql.query<LostRun>({ ...lose, values: [limit, leaseMs] });
  return rows;
}

/** As LEASE_MS may be. */
const longestLease = "interval '600 s'";

const lose = {
  name: "requeue-lost-runs",
  text: `
    WITH lost AS (
      SELECT id, attempt, worker_id, CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled'
        WHEN lost_attempts + 1 >= max_attempts THEN 'exhausted' ELSE 'queued' END AS outcome
      FROM runs WHERE status = 'running' AND lease_until < now() ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED
    ), cut AS (
      UPDATE runs SET lease_until = now() + $2 * interval '1 ms' WHERE id = ANY(ARRAY(SELECT id FROM runs
        WHERE status = 'running' AND lease_until > now() + ${longestLease} LIMIT $1 FOR UPDATE SKIP LOCKED))
    ), requeued AS (
      UPDATE runs SET status = 'queued', lost_attempts = lost_attempts + 1, lease_until = NULL, worker_id = NULL
      FROM lost WHERE runs.id = lost.id AND lost.outcome = 'queued' RETURNING runs.id, runs.attempt
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, attempt, 'running', 'queued', 'reconciler', 'worker_lost' FROM requeued
    )
    SELECT id, attempt, worker_id, outcome FROM lost`,
};
