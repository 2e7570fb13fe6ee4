import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import type { SeenRun } from "./finalize-run.ts";
import { runIs, runIsStill } from "../run-is.ts";

const isExpired = sql`${runIs.waiting()} AND expires_at < now()`;

/** Runs that no worker took, or whose question nobody answered (`is_interrupted`), in time. */
export async function findExpiredRuns(db: Db, limit: number): Promise<(SeenRun & { is_interrupted: boolean })[]> {
  return expired.rows(db.sql, { limit });
}

const expired = statement({
  name: "find-expired-runs",
  takes: { limit: t.integer },
  gives: { id: t.text, attempt: t.integer, worker_id: orNull(t.text), is_interrupted: t.boolean },
  text: sql`
    SELECT id, attempt, worker_id, ${runIsStill.interrupted()} AS is_interrupted FROM runs
    WHERE ${isExpired} ORDER BY expires_at LIMIT $limit`,
});

/** How many they are. */
export async function countExpiredRuns(db: Db): Promise<number> {
  return (await expiredCount.first(db.sql))?.count ?? 0;
}

const expiredCount = statement({
  name: "count-expired-runs",
  gives: { count: t.integer },
  text: sql`SELECT count(*)::int AS count FROM runs WHERE ${isExpired}`,
});

/** How many runs are held under a lease that ran out. */
export async function countLostRuns(db: Db): Promise<number> {
  return (await lostCount.first(db.sql))?.count ?? 0;
}

const lostCount = statement({
  name: "count-lost-runs",
  gives: { count: t.integer },
  text: sql`SELECT count(*)::int AS count FROM runs WHERE ${runIs.running()} AND lease_until < now()`,
});
