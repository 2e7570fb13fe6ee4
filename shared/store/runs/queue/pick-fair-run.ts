import type { Db } from "../../client.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { literal, raw, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { isClaimable } from "./claimable.ts";
import { runIs } from "../run-is.ts";
import { fitsWorker, type WorkerFilter, workerFilter } from "./worker-filter.ts";

const waitingRuns = { several: orNull(t.boolean), prioritized: t.boolean };
/** `several`: runs of more than one owner are queued. `prioritized`: one of the queued runs has a priority. */
export type QueueMix = Row<typeof waitingRuns>;

export async function readQueueMix(db: Db): Promise<QueueMix | null> {
  return look.first(db.sql);
}

const isPrioritized = (run: string): Sql => sql`${runIs.queued(run)} AND ${raw(run)}.priority IS NOT NULL`;

const look = statement({
  name: "look-at-queue",
  gives: waitingRuns,
  text: sql`
    SELECT min(user_id) <> max(user_id) AS several, EXISTS (SELECT 1 FROM runs WHERE ${isPrioritized("runs")}) AS prioritized
    FROM runs WHERE ${runIs.queued()}`,
});

/**
 * The run that its priority puts before `runId`, of the same owner: it counts as older by so many seconds. Null: it is that
 * run's turn.
 */
export async function pickPriorityRun(db: Db, runId: string, taker: WorkerFilter): Promise<string | null> {
  return (await urgent.first(db.sql, { id: runId, ...taker }))?.id ?? null;
}

const countsSince = (run: string): Sql =>
  sql`${raw(run)}.created_at - coalesce(${raw(run)}.priority, 0) * interval '1 s'`;

const urgent = statement({
  name: "find-urgent-run",
  takes: { id: t.text, ...workerFilter },
  gives: { id: t.text },
  text: sql`
    SELECT run.id FROM runs AS mine CROSS JOIN LATERAL (
      SELECT * FROM runs WHERE runs.user_id = mine.user_id AND runs.pool = $pool AND ${isPrioritized("runs")}
        AND ${countsSince("runs")} < ${countsSince("mine")}
      ORDER BY ${countsSince("runs")} LIMIT ${literal(200)}
    ) AS run
    WHERE mine.id = $id AND ${fitsWorker("run")} AND ${isClaimable("run")}
    ORDER BY ${countsSince("run")} LIMIT 1`,
});

/**
 * The oldest run of the owner who has the fewest running, if that is fewer than the owner of `runId` has, or if `runId` no
 * longer waits; null when it is that run's turn. So an owner with one run waits for a slot, not for another's ten thousand.
 */
export async function pickFairRun(db: Db, runId: string, taker: WorkerFilter): Promise<string | null> {
  return (await fairer.first(db.sql, { id: runId, ...taker }))?.id ?? null;
}

/** Owners that are looked at, and runs of each: beyond them the queue's own order decides. */
const most = { owners: literal(200), runs: literal(20) };

const fairer = statement({
  name: "find-fairer-run",
  takes: { id: t.text, ...workerFilter },
  gives: { id: t.text },
  text: sql`
    WITH RECURSIVE running AS (
      SELECT user_id, count(*) AS count FROM runs WHERE ${runIs.running()} GROUP BY user_id
    ), waiting AS (
      (SELECT user_id, 1 AS nth FROM runs WHERE ${runIs.queued()} ORDER BY user_id LIMIT 1)
      UNION ALL
      SELECT (SELECT user_id FROM runs WHERE ${runIs.queued()} AND user_id > waiting.user_id ORDER BY user_id LIMIT 1),
        nth + 1
      FROM waiting WHERE user_id IS NOT NULL AND nth < ${most.owners}
    )
    SELECT oldest.id FROM waiting LEFT JOIN running USING (user_id) CROSS JOIN LATERAL (
      SELECT run.id, run.created_at FROM (
        SELECT * FROM runs WHERE ${runIs.queued()} AND runs.user_id = waiting.user_id AND runs.pool = $pool
        ORDER BY created_at LIMIT ${most.runs}
      ) run WHERE ${fitsWorker("run")} AND ${isClaimable("run")} ORDER BY run.created_at LIMIT 1
    ) oldest
    WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = $id AND ${runIs.queued()}) OR coalesce(running.count, 0) < (
      SELECT count FROM running WHERE user_id = (SELECT user_id FROM runs WHERE id = $id))
    ORDER BY coalesce(running.count, 0), oldest.created_at LIMIT 1`,
});
