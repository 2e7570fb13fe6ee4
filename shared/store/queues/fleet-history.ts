import type { TimeRange } from "../../domain/analytics/time-range.ts";
import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { readPools } from "./read-pools.ts";

/** For so long a minute is kept. */
const keptDays = 14;
const mostPoints = 120;
const minuteMs = 60_000;

const columns = {
  pool: t.text,
  slots: t.integer,
  busy: t.integer,
  queued: t.integer,
  oldest_ms: orNull(t.double),
};
const input = parameterRows(columns);

/** Writes how busy each pool is, once a minute, and forgets old minutes. Returns how many of each. */
export async function sampleFleet(db: Db): Promise<{ pools: number; forgotten: number }> {
  const rows = (await readPools(db)).map(({ pool, slots, busy, waiting, oldest_ms }): Row<typeof columns> => ({
    ...{ pool, slots, busy, oldest_ms },
    queued: waiting,
  }));
  const pools = await sample.count(db.sql, input.listsOf(rows));
  return { pools, forgotten: await forget.count(db.sql) };
}

/** A stretch of minutes: the most of each figure within it. */
export type FleetPoint = Row<typeof point>;

/** How busy the fleet, or one pool, was. A minute in which no worker lived has no figures. */
export async function readFleetHistory(
  db: Pick<Db, "sql">,
  { since, until }: TimeRange,
  pool: string | null,
): Promise<{ step_ms: number; points: FleetPoint[] }> {
  const minutes = Math.max(1, Math.ceil((until.getTime() - since.getTime()) / minuteMs / mostPoints));
  const step_ms = minutes * minuteMs;
  return { step_ms, points: await read.rows(db.sql, { since, until, pool, step_s: step_ms / 1_000 }) };
}

const sample = statement({
  name: "sample-fleet",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}
    INSERT INTO fleet_samples (at, pool, slots, busy, queued, oldest_ms)
    SELECT date_trunc('minute', now()), pool, slots, busy, queued, oldest_ms FROM input ON CONFLICT DO NOTHING`,
});

const forget = statement({
  name: "forget-fleet-samples",
  text: sql`DELETE FROM fleet_samples WHERE at < now() - ${literal(keptDays)} * interval '1 day'`,
});

const point = {
  at: t.timestamptz,
  slots: t.integer,
  busy: t.integer,
  queued: t.integer,
  oldest_ms: orNull(t.double),
};

const read = statement({
  name: "read-fleet-history",
  takes: { since: t.timestamptz, until: t.timestamptz, pool: orNull(t.text), step_s: t.double },
  gives: point,
  text: sql`
    SELECT to_timestamp(floor(extract(epoch FROM at)::float8 / $step_s) * $step_s) AS at, max(slots)::int AS slots,
      max(busy)::int AS busy, max(queued)::int AS queued, max(oldest_ms) AS oldest_ms
    FROM (
      SELECT at, sum(slots) AS slots, sum(busy) AS busy, sum(queued) AS queued, max(oldest_ms) AS oldest_ms
      FROM fleet_samples WHERE at >= $since AND at < $until AND ($pool IS NULL OR pool = $pool) GROUP BY at
    ) AS minutes GROUP BY 1 ORDER BY 1`,
});
