import type { Db } from "../../client.ts";
import { listOf, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIsStill } from "../run-is.ts";

export type HeldRun = { id: string; attempt: number };
export type RenewedLease = HeldRun & { cancel_requested: boolean };

/**
 * Prolongs the leases of all runs that a worker holds, in one statement. A run that is missing from the answer is no
 * longer the caller's: its attempt was raised or it ended, and the caller must stop it. Rows are locked in the order of their ids, as
 * moves do.
 */
export async function renewLeases(db: Db, held: HeldRun[], leaseMs: number): Promise<RenewedLease[]> {
  const [ids, attempts] = [held.map((run) => run.id), held.map((run) => run.attempt)];
  return renew.rows(db.sql, { ids, attempts, lease_ms: leaseMs });
}

const renew = statement({
  name: "renew-leases",
  takes: { ids: listOf(t.text), attempts: listOf(t.integer), lease_ms: t.double },
  gives: { id: t.text, attempt: t.integer, cancel_requested: t.boolean },
  text: sql`
    WITH held AS (
      SELECT run.id FROM (SELECT * FROM unnest($ids, $attempts) AS given (id, attempt) ORDER BY id) AS given,
        LATERAL (SELECT runs.id FROM runs
          WHERE runs.id = given.id AND runs.attempt = given.attempt AND ${runIsStill.running()} FOR NO KEY UPDATE) AS run
    )
    UPDATE runs SET lease_until = now() + $lease_ms * interval '1 ms' FROM held WHERE runs.id = held.id
    RETURNING runs.id, runs.attempt, runs.cancel_requested_at IS NOT NULL AS cancel_requested`,
});
