import type { Batch } from "../../batch.ts";
import type { Db } from "../../client.ts";
import { listOf, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { claimedColumns, type ClaimedRun, claimedRun, selectClaimed } from "./claimed-run.ts";
import { runIs, runIsStill } from "../run-is.ts";

/** `lease_left_ms`: of the lease that the run was granted with. */
export type GrantedRun = ClaimedRun & { lease_left_ms: number };

/**
 * Reads a run that was committed as this worker's (see insert-run.ts); null: it is not this worker's any more. Runs that are
 * read at the same time are one statement.
 */
export const readGrantedRun = (db: Db, runId: string, workerId: string): Promise<GrantedRun | null> =>
  db.inBatches(grantedRuns, { runId, workerId }, workerId);

const grantedRuns: Batch<{ runId: string; workerId: string }, GrantedRun | null> = {
  most: 64,
  async act(client, asked) {
    const worker_id = asked[0]?.workerId ?? "";
    const ids = asked.map(({ runId }) => runId);
    const byId = new Map((await readGranted.rows(client, { ids, worker_id })).map((run) => [run.id, run]));
    return ids.map((id) => byId.get(id) ?? null);
  },
};

const readGranted = statement({
  name: "read-granted-runs",
  takes: { ids: listOf(t.text), worker_id: t.text },
  gives: { ...claimedRun, lease_left_ms: t.double },
  text: sql`
    WITH granted AS (
      SELECT runs.id, runs.attempt, ${claimedColumns}, runs.lease_until FROM unnest($ids) AS given (id),
        LATERAL (SELECT * FROM runs WHERE runs.id = given.id AND ${runIsStill.running()} AND runs.worker_id = $worker_id OFFSET 0) AS runs
    ), claimed AS (
      ${selectClaimed("granted")}
    )
    SELECT claimed.*, (extract(epoch FROM granted.lease_until - now()) * 1000)::double precision AS lease_left_ms FROM claimed JOIN granted USING (id)`,
});

/** Returns runs that are this worker's in their first attempt, and may have been granted: it may not have heard of those. */
export async function findGrantableOf(db: Db, worker_id: string): Promise<string[]> {
  return (await runsOfWorker.rows(db.sql, { worker_id })).map(({ id }) => id);
}

const runsOfWorker = statement({
  name: "find-runs-of-worker",
  takes: { worker_id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM runs WHERE ${runIs.running()} AND worker_id = $worker_id AND attempt = 1 AND lifecycle = 'serverless'`,
});
