import type { Db } from "../client.ts";
import type { SeenRun } from "./finalize-run.ts";
import { hasStatus } from "./has-status.ts";
import type { HeldRun } from "./renew-leases.ts";

export type Loss = { kind: "queued" } | { kind: "stale" } | { kind: "exhausted"; run: SeenRun };

/**
 * What `requeueLostRuns` does for a worker that is gone, for a run whose process died under its worker: back to the queue,
 * charged, with the reason; one that can't be tried again is only named, for the caller to end. `stale`: it moved on.
 */
export async function loseRun(db: Db, { id, attempt }: HeldRun, reason: string): Promise<Loss> {
  const { rows } = await db.sql.query<SeenRun & { requeued: boolean }>({ ...statement, values: [id, attempt, reason] });
  const row = rows[0];
  if (!row) return { kind: "stale" };
  const { requeued, ...run } = row;
  return requeued ? { kind: "queued" } : { kind: "exhausted", run };
}

const statement = {
  name: "lose-run",
  text: `
    WITH seen AS (
      SELECT id, attempt, worker_id,
        cancel_requested_at IS NULL AND lost_attempts + 1 < max_attempts AS requeued
      FROM runs WHERE id = $1 AND attempt = $2 AND ${hasStatus("runs", "running")} FOR UPDATE
    ), queued AS (
      UPDATE runs SET status = 'queued', lost_attempts = lost_attempts + 1, lease_until = NULL, worker_id = NULL
      FROM seen WHERE runs.id = seen.id AND seen.requeued RETURNING runs.id
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, $2, 'running', 'queued', 'worker', $3 FROM queued
    )
    SELECT id, attempt, worker_id, requeued FROM seen`,
};
