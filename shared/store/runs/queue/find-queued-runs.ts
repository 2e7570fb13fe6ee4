import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { isFirstOfThread } from "../../threads/thread-order.ts";
import { isClaimable } from "./claimable.ts";
import { runIs } from "../run-is.ts";
import { fitsWorker, isSuspect, type WorkerFilter, workerFilter } from "./worker-filter.ts";

const idsOf = (rows: { id: string }[]): string[] => rows.map((row) => row.id);

/** The runs of a pool (null: of all) that have been in the queue for longest. */
export async function findQueuedRuns(db: Db, pool: string | null, limit: number): Promise<string[]> {
  return idsOf(await queued.rows(db.sql, { pool, limit }));
}

const queued = statement({
  name: "find-queued-runs",
  takes: { pool: orNull(t.text), limit: t.integer },
  gives: { id: t.text },
  text: sql`SELECT id FROM runs WHERE ${runIs.queued()} AND ($pool IS NULL OR pool = $pool) AND lifecycle <> 'daemon' ORDER BY created_at LIMIT $limit`,
});

/**
 * Queued runs that have waited longer than a nudge takes, oldest first: their nudge was lost, or Redis is away. Runs that
 * nobody could claim now, those of other pools, and those whose adapter isn't among `adapters`, are left out.
 */
export async function findUnclaimedRuns(
  db: Db,
  { olderThanMs, limit, ...taker }: { olderThanMs: number; limit: number } & WorkerFilter,
): Promise<string[]> {
  return idsOf(await unclaimed.rows(db.sql, { older_than_ms: olderThanMs, limit, ...taker }));
}

const isOverdue = sql`created_at < now() - $older_than_ms * interval '1 ms' AND ${fitsWorker("runs")} AND ${isClaimable("runs")}`;

const unclaimed = statement({
  name: "find-unclaimed-runs",
  takes: { older_than_ms: t.double, limit: t.integer, ...workerFilter },
  gives: { id: t.text },
  text: sql`SELECT id FROM runs WHERE ${isOverdue} ORDER BY created_at LIMIT $limit`,
});

/** Returns whether a run that such a worker could claim now, beside others, was accepted longer ago than `olderThanMs`. */
export async function isRunOverdue(
  db: Db,
  { olderThanMs, ...taker }: { olderThanMs: number } & WorkerFilter,
): Promise<boolean> {
  const row = await overdue.first(db.sql, { older_than_ms: olderThanMs, ...taker });
  return row?.is_overdue === true;
}

const overdue = statement({
  name: "is-run-overdue",
  takes: { older_than_ms: t.double, ...workerFilter },
  gives: { is_overdue: t.boolean },
  text: sql`SELECT EXISTS (SELECT 1 FROM runs WHERE ${isOverdue} AND NOT ${isSuspect("runs")}) AS is_overdue`,
});

/** The run that has waited longest for an agent's daemon; null when none does. Runs that wait for their thread are left out. */
export async function nextMessage(db: Db, agent_id: string): Promise<string | null> {
  return (await message.first(db.sql, { agent_id }))?.id ?? null;
}

const message = statement({
  name: "next-message",
  takes: { agent_id: t.text },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM runs WHERE agent_id = $agent_id AND ${runIs.queued()} AND lifecycle = 'daemon'
      AND ${isFirstOfThread("runs")}
    ORDER BY created_at, id LIMIT 1`,
});
