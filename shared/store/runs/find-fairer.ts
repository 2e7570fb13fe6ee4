import type { Db } from "../client.ts";
import { isClaimable } from "./claimable.ts";

/**
 * The oldest run of the owner who has the fewest running, if that is fewer than the owner of `runId` has, or if `runId` no
 * longer waits; null when it is that run's turn. So an owner with one run waits for a slot, not for another's ten thousand.
 */
export async function findFairerRun(db: Db, runId: string, adapters: string[]): Promise<string | null> {
  const { rows } = await db.sql.query<{ id: string }>({ ...statement, values: [runId, adapters] });
  return rows[0]?.id ?? null;
}

/** Owners that are looked at, and runs of each: beyond them the queue's own order decides. */
const most = { owners: 200, runs: 20 };

const statement = {
  name: "find-fairer-run",
  text: `
    WITH RECURSIVE running AS (
      SELECT user_id, count(*) AS count FROM runs WHERE status = 'running' GROUP BY user_id
    ), waiting AS (
      (SELECT user_id, 1 AS place FROM runs WHERE status = 'queued' ORDER BY user_id LIMIT 1)
      UNION ALL
      SELECT (SELECT user_id FROM runs WHERE status = 'queued' AND user_id > waiting.user_id ORDER BY user_id LIMIT 1),
        place + 1
      FROM waiting WHERE user_id IS NOT NULL AND place < ${most.owners}
    )
    SELECT oldest.id FROM waiting LEFT JOIN running USING (user_id) CROSS JOIN LATERAL (
      SELECT run.id, run.created_at FROM (
        SELECT * FROM runs WHERE status = 'queued' AND runs.user_id = waiting.user_id
        ORDER BY created_at LIMIT ${most.runs}
      ) run WHERE run.adapter_type = ANY($2) AND ${isClaimable("run")} ORDER BY run.created_at LIMIT 1
    ) oldest
    WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = $1 AND status = 'queued') OR coalesce(running.count, 0) < (
      SELECT count FROM running WHERE user_id = (SELECT user_id FROM runs WHERE id = $1))
    ORDER BY coalesce(running.count, 0), oldest.created_at LIMIT 1`,
};
