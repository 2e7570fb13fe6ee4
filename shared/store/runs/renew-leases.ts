import type { Db } from "../client.ts";
import { hasStatus } from "./has-status.ts";

export type HeldRun = { id: string; attempt: number };
export type RenewedLease = HeldRun & { cancel_requested: boolean };

/**
 * Prolongs the leases of all runs that a worker holds, in one statement. A run that is missing from the answer is no
 * longer the caller's: its attempt was raised or it ended, and the caller must stop it.
 */
export async function renewLeases(db: Db, held: HeldRun[], leaseMs: number): Promise<RenewedLease[]> {
  const values = [held.map((run) => run.id), held.map((run) => run.attempt), leaseMs];
  const { rows } = await db.sql.query<RenewedLease>({ ...statement, values });
  return rows;
}

const statement = {
  name: "renew-leases",
  text: `
    UPDATE runs SET lease_until = now() + $3 * interval '1 ms'
    FROM unnest($1::text[], $2::int[]) AS held (id, attempt)
    WHERE runs.id = held.id AND runs.attempt = held.attempt AND ${hasStatus("runs", "running")}
    RETURNING runs.id, runs.attempt, runs.cancel_requested_at IS NOT NULL AS cancel_requested`,
};
