import { defaultPool } from "../../domain/run/pool.ts";
import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "../runs/run-is.ts";

const pool = {
  pool: t.text,
  /** Runs that are queued, and those that run. */
  waiting: t.integer,
  running: t.integer,
  /** For how long the oldest queued run waits. */
  oldest_ms: orNull(t.double),
  /** Its live workers by status, their slots, and how many of these are taken. */
  active: t.integer,
  draining: t.integer,
  stalled: t.integer,
  slots: t.integer,
  busy: t.integer,
};
export type PoolState = Row<typeof pool>;

/** Agents name pools: of those that no worker serves, so many are shown, the ones that have waited for longest. */
const mostUnserved = literal(20);

/** The default pool, each pool that has live workers, and pools that runs wait for. */
export async function readPools(db: Db): Promise<PoolState[]> {
  return read.rows(db.sql);
}

const read = statement({
  name: "read-pools",
  gives: pool,
  text: sql`
    WITH live AS (
      SELECT * FROM workers WHERE heartbeat_at > now() - interval '15 s'
    ), queued AS (
      SELECT pool, count(*) AS waiting, min(created_at) AS oldest FROM runs WHERE ${runIs.queued()} GROUP BY pool
    ), running AS (
      SELECT pool, count(*) AS running FROM runs WHERE ${runIs.running()} GROUP BY pool
    ), named AS (
      SELECT ${literal(defaultPool)} AS pool UNION SELECT pool FROM live
      UNION (SELECT pool FROM queued WHERE pool NOT IN (SELECT pool FROM live) ORDER BY oldest LIMIT ${mostUnserved})
    ), staff AS (
      SELECT pool, count(*) FILTER (WHERE status = 'active') AS active, count(*) FILTER (WHERE status = 'draining') AS draining,
        count(*) FILTER (WHERE status NOT IN ('active', 'draining')) AS stalled, sum(slots) AS slots, sum(busy) AS busy
      FROM live GROUP BY pool
    )
    SELECT pool, coalesce(waiting, 0)::int AS waiting, coalesce(running, 0)::int AS running,
      CASE WHEN oldest IS NOT NULL THEN round(greatest(0, extract(epoch FROM now() - oldest) * 1000))::float8 END AS oldest_ms,
      coalesce(active, 0)::int AS active, coalesce(draining, 0)::int AS draining, coalesce(stalled, 0)::int AS stalled,
      coalesce(slots, 0)::int AS slots, coalesce(busy, 0)::int AS busy
    FROM named LEFT JOIN queued USING (pool) LEFT JOIN running USING (pool) LEFT JOIN staff USING (pool) ORDER BY pool`,
});
