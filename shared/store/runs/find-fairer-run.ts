import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isClaimable } from "./claimable.ts";
import { runIs } from "./run-is.ts";

/** Returns whether runs of more than one owner are queued. */
export async function areSeveralOwnersWaiting(db: Db): Promise<boolean> {
  return (await several.first(db.sql))?.several === true;
}

const several = statement({
  name: "are-several-owners-waiting",
  gives: { several: orNull(t.boolean) },
  text: sql`SELECT min(user_id) <> max(user_id) AS several FROM runs WHERE ${runIs.queued()}`,
});

/**
 * The oldest run of the owner who has the fewest running, if that is fewer than the owner of `runId` has, or if `runId` no
 * longer waits; null when it is that run's turn. So an owner with one run waits for a slot, not for another's ten thousand.
 */
export async function findFairerRun(db: Db, runId: string, adapters: string[]): Promise<string | null> {
  return (await fairer.first(db.sql, { id: runId, adapters }))?.id ?? null;
}

/** Owners that are looked at, and runs of each: beyond them the queue's own order decides. */
const most = { owners: literal(200), runs: literal(20) };

const fairer = statement({
  name: "find-fairer-run",
  takes: { id: t.text, adapters: listOf(t.text) },
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
        SELECT * FROM runs WHERE ${runIs.queued()} AND runs.user_id = waiting.user_id
        ORDER BY created_at LIMIT ${most.runs}
      ) run WHERE run.adapter_type = ANY($adapters) AND ${isClaimable("run")} ORDER BY run.created_at LIMIT 1
    ) oldest
    WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = $id AND ${runIs.queued()}) OR coalesce(running.count, 0) < (
      SELECT count FROM running WHERE user_id = (SELECT user_id FROM runs WHERE id = $id))
    ORDER BY coalesce(running.count, 0), oldest.created_at LIMIT 1`,
});
