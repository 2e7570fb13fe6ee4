import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIsStill } from "./run-is.ts";

export type HeldRun = { id: string; attempt: number };
export type RenewedLease = HeldRun & { cancel_requested: boolean };

/**
 * Prolongs the leases of all runs that a worker holds, in one statement. A run that is missing from the answer is no
 * longer the caller's: its attempt was raised or it ended, and the caller must stop it.
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
    UPDATE runs SET lease_until = now() + $lease_ms * interval '1 ms'
    FROM unnest($ids, $attempts) AS held (id, attempt)
    WHERE runs.id = held.id AND runs.attempt = held.attempt AND ${runIsStill.running()}
    RETURNING runs.id, runs.attempt, runs.cancel_requested_at IS NOT NULL AS cancel_requested`,
});
