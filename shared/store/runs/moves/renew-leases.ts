import type { Db } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import { raw, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIsStill } from "../run-is.ts";

export type HeldRun = { id: string; attempt: number };
/** `cancel_asked_ms`: when somebody last asked for the run's end, epoch ms. */
export type RenewedLease = HeldRun & { cancel_asked_ms: number | null };

/** SQL: the column of that name. */
export const cancelAskedMs = (run: string): Sql =>
  sql`(extract(epoch FROM ${raw(run)}.cancel_requested_at) * 1000)::double precision AS cancel_asked_ms`;

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
  gives: { id: t.text, attempt: t.integer, cancel_asked_ms: orNull(t.double) },
  text: sql`
    WITH held AS (
      SELECT run.id FROM (SELECT * FROM unnest($ids, $attempts) AS given (id, attempt) ORDER BY id) AS given,
        LATERAL (SELECT runs.id FROM runs
          WHERE runs.id = given.id AND runs.attempt = given.attempt AND ${runIsStill.running()} FOR NO KEY UPDATE) AS run
    )
    UPDATE runs SET lease_until = now() + $lease_ms * interval '1 ms' FROM held WHERE runs.id = held.id
    RETURNING runs.id, runs.attempt, ${cancelAskedMs("runs")}`,
});
