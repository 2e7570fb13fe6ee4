import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { expiresAnew } from "./expires-anew.ts";
import type { SeenRun } from "./finalize-run.ts";
import { moveRuns } from "./move-runs.ts";
import type { HeldRun } from "./renew-leases.ts";
import { runIs, runIsStill } from "../run-is.ts";

const charge = sql`lost_attempts = lost_attempts + 1, ${expiresAnew}`;

export type LostOutcome = "requeued" | "exhausted" | "cancelling";

/** `outcome`: only `requeued` runs were moved; the caller ends the others. */
export type LostRun = SeenRun & { outcome: LostOutcome };

/** SQL: what becomes of a run whose attempt is lost. What it had lost before it last kept something doesn't count. */
const lostOutcome = sql`CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelling'
        WHEN lost_attempts + 1 - coalesce((SELECT lost_before FROM run_journals WHERE run_id = runs.id), 0) >= max_attempts
        THEN 'exhausted' ELSE 'requeued' END AS outcome`;
const lostRun = { id: t.text, attempt: t.integer, worker_id: orNull(t.text), outcome: t.word<LostOutcome>() };

/**
 * Takes a run back whose process died under its worker: to the queue, charged, with the reason, where it may be tried again
 * and nobody asked to cancel it. Returns null when the attempt is over.
 */
export async function loseRun(db: Db, { id, attempt }: HeldRun, reason: string): Promise<LostRun | null> {
  return loseProcess.first(db.sql, { id, attempt, reason });
}

const loseProcess = statement({
  name: "lose-run",
  takes: { id: t.text, attempt: t.integer, reason: t.text },
  gives: lostRun,
  text: sql`
    WITH held AS (
      SELECT id, attempt, worker_id, ${lostOutcome}
      FROM runs WHERE id = $id AND attempt = $attempt AND ${runIsStill.running()} FOR UPDATE
    ), ${moveRuns("lose_process", { source: "held", where: sql`held.outcome = 'requeued'`, set: charge, reason: sql`$reason` })}
    SELECT id, attempt, worker_id, outcome FROM held`,
});

/**
 * Takes runs whose lease ran out away from their workers: back to the queue, charged. Those that can't be tried again are
 * only named, for the caller to end. Any number of reconcilers may run it: SKIP LOCKED parts the rows among them.
 * A lease that reaches further than any worker asks for was given before Postgres' clock was set back: it is cut to
 * `leaseMs`, which its worker prolongs if it lives.
 */
export async function requeueLostRuns(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<LostRun[]> {
  return lose.rows(db.sql, { limit, lease_ms: leaseMs });
}

/** As LEASE_MS may be. */
const longestLease = sql`interval '600 s'`;

const lose = statement({
  name: "requeue-lost-runs",
  takes: { limit: t.integer, lease_ms: t.double },
  gives: lostRun,
  text: sql`
    WITH found AS (
      SELECT id, attempt, worker_id, ${lostOutcome}, lease_until < now() AS is_lost FROM runs
      WHERE ${runIs.running()} AND lease_until NOT BETWEEN now() AND now() + ${longestLease}
      ORDER BY lease_until LIMIT $limit FOR UPDATE SKIP LOCKED
    ), lost AS (
      SELECT * FROM found WHERE is_lost
    ), cut AS (
      UPDATE runs SET lease_until = now() + $lease_ms * interval '1 ms'
      WHERE id = ANY(ARRAY(SELECT id FROM found WHERE NOT is_lost))
    ), ${moveRuns("lose", { source: "lost", where: sql`lost.outcome = 'requeued'`, set: charge })}
    SELECT id, attempt, worker_id, outcome FROM lost`,
});
