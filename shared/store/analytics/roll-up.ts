import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { histograms, indexOf } from "./histogram-columns.ts";
import { measures, sums, summed, usedBy } from "./measures.ts";
import { beginOf, lengthOf, type RollupSpan, rolledUntil } from "./rollup-span.ts";

/** A run's end is dated when its statement begins; by then the statement has surely been committed or given up. */
const settledAfter = "5 minutes";

/**
 * Rolls up the next half hour or day (UTC) that is over and in which runs ended: a half hour from its runs, a day from its half
 * hours, since no statement reads the runs of a large fleet's day in time. Returns its start; null when there is none. Of
 * two that do so at once, one does it.
 */
export async function rollUpNext(db: Db, span: RollupSpan): Promise<Date | null> {
  const start = (await statements[span].findNext.first(db.sql))?.start;
  if (!start) return null;
  if (span === "half_hour") await rollUpHalfHour.count(db.sql, { start });
  else await rollUpDay(db, start);
  return start;
}

/** All of a day at once: where a row of it is, it counts as rolled up. */
const rollUpDay = (db: Db, start: Date): Promise<void> =>
  inTransaction(db, async (client) => {
    for (let slice = 0; slice < slices; slice += 1) await rollUpSlice.count(client, { start, slice });
  });

/** How many such hours or days there are. */
export async function countOpenSpans(db: Db, span: RollupSpan): Promise<number> {
  return (await statements[span].count.first(db.sql))?.count ?? 0;
}

/** Runs that ended after the last one that is rolled up. */
const open = (span: RollupSpan): Sql =>
  sql`(SELECT completed_at FROM runs WHERE completed_at >= ${rolledUntil(span)}) AS open`;
/** Half hours of which no day is made. */
const openHalves = sql`
  (SELECT begins_at FROM run_rollups WHERE span = 'half_hour' AND begins_at >= ${rolledUntil("day")}) AS open`;
const settled = (span: RollupSpan): Sql => beginOf(span, sql`now() - interval ${literal(settledAfter)}`);

/** Four kinds of rows: of an agent's version, of an agent, of a user, of all. */
const kinds = sql`(agent_id, version), (agent_id), (user_id), ()`;
const kindsBy = (column: string): Sql => {
  const more = raw(column);
  return sql`(agent_id, version, ${more}), (agent_id, ${more}), (user_id, ${more}), (${more})`;
};
const keyed = joined(
  ["user_id", "agent_id", "version"].map((key) => sql`coalesce(${raw(key)}, '') AS ${raw(key)}`),
  ", ",
);
const values = Object.entries(histograms).map(([name, { value }]) => sql`(${literal(name)}, ${raw(value)})`);
// Without the blanks that json_agg puts in: analytics read a megabyte of these.
const pairs = Object.entries(histograms).map(
  ([name, { column }]) =>
    sql`string_agg('[' || index || ',' || count || ']', ',') FILTER (WHERE measure = ${literal(name)}) AS ${raw(column)}`,
);
const columns = Object.values(histograms).map(({ column }) => raw(column));
const sumNames = joined(summed.map(raw), ", ");
const addedSums = joined(
  summed.map((name) => sql`sum(${raw(name)}) AS ${raw(name)}`),
  ", ",
);
// A histogram is read as an array, which takes a fraction of the time that JSON takes.
const rolled = Object.entries(histograms).map(
  ([name, { column }]) => sql`(${literal(name)}, translate(${raw(column)}::text, '[]', '{}')::int[])`,
);

/** SQL: in a CTE `ended`, what a half hour's runs are counted by. */
const halfHour = sql`
    ended AS MATERIALIZED (
      SELECT user_id, agent_id, version, ${measures} FROM runs ${usedBy("runs")}
      WHERE completed_at >= $start AND completed_at < $start + ${lengthOf("half_hour")}
    ), totals AS (
      SELECT ${keyed}, ${sums} FROM ended GROUP BY GROUPING SETS (${kinds})
    ), counted AS (
      SELECT ${keyed}, measure, index, count(*)::int AS count
      FROM (SELECT user_id, agent_id, version, measure, ${indexOf("value")} AS index
        FROM ended, LATERAL (VALUES ${joined(values, ", ")}) AS m (measure, value) WHERE value IS NOT NULL) AS indexed
      GROUP BY GROUPING SETS (${kindsBy("measure, index")})
    ), coded AS (
      SELECT ${keyed}, error_code AS code, count(*) AS count FROM ended WHERE error_code IS NOT NULL
      GROUP BY GROUPING SETS (${kindsBy("error_code")})
    )`;

const key = raw("user_id, agent_id, version");
/**
 * A day is made by so many statements, each of some agents and users: one alone took five seconds for 1,000 agents that ran in each
 * half hour. A power of two.
 */
const slices = 16;

/** The same of a slice of a day, by its half hours. */
const day = sql`
    halves AS (
      SELECT * FROM run_rollups
      WHERE span = 'half_hour' AND begins_at >= $start AND begins_at < $start + ${lengthOf("day")}
        AND hashtext(agent_id || user_id) & ${literal(slices - 1)} = $slice
    ), totals AS (
      SELECT ${key}, ${addedSums} FROM halves GROUP BY ${key}
    ), counted AS (
      SELECT ${key}, measure, pairs[nth][1] AS index, sum(pairs[nth][2]) AS count
      FROM halves, LATERAL (VALUES ${joined(rolled, ", ")}) AS m (measure, pairs), generate_subscripts(pairs, 1) AS nth
      GROUP BY ${key}, measure, index
    ), coded AS (
      SELECT ${key}, code, sum(count::int) AS count FROM halves, json_each_text(error_codes) AS each (code, count)
      GROUP BY ${key}, code
    )`;

/** `parts`: the CTEs `totals`, `counted` (a histogram's counts) and `coded` (counts of error codes). */
const rollUpOf = (span: RollupSpan, parts: Sql): Sql => sql`
    WITH ${parts}, spread AS (
      SELECT ${key}, ${joined(pairs, ", ")} FROM counted GROUP BY ${key}
    ), failed AS (
      SELECT ${key}, json_object_agg(code, count) AS error_codes FROM coded GROUP BY ${key}
    )
    INSERT INTO run_rollups (begins_at, span, ${key}, ${sumNames}, ${joined(columns, ", ")}, error_codes)
    SELECT $start, ${literal(span)}, ${key}, ${sumNames},
      ${joined(
        columns.map((column) => sql`concat('[', ${column}, ']')::json`),
        ", ",
      )}, coalesce(error_codes, '{}')
    FROM totals LEFT JOIN spread USING (${key}) LEFT JOIN failed USING (${key})
    ON CONFLICT DO NOTHING`;

const starts = { start: t.timestamptz };

const rollUpHalfHour = statement({
  name: "roll-up-half-hour",
  takes: starts,
  text: rollUpOf("half_hour", halfHour),
});
const rollUpSlice = statement({
  name: "roll-up-slice-of-day",
  takes: { ...starts, slice: t.integer },
  text: rollUpOf("day", day),
});

const statements = {
  half_hour: {
    findNext: statement({
      name: "find-next-half-hour",
      gives: starts,
      text: sql`
        SELECT start FROM (SELECT ${beginOf("half_hour", sql`min(completed_at)`)} AS start FROM ${open("half_hour")}) AS following
        WHERE start < ${settled("half_hour")}`,
    }),
    count: statement({
      name: "count-open-half-hours",
      gives: { count: t.integer },
      text: sql`
        SELECT count(DISTINCT ${beginOf("half_hour", sql`completed_at`)})::int AS count FROM ${open("half_hour")}
        WHERE completed_at < ${settled("half_hour")}`,
    }),
  },
  day: {
    // All of its half hours are rolled up when no run of it is left.
    findNext: statement({
      name: "find-next-day",
      gives: starts,
      text: sql`
        SELECT start FROM (SELECT ${beginOf("day", sql`min(begins_at)`)} AS start FROM ${openHalves}) AS following,
          (SELECT min(completed_at) AS first_left FROM ${open("half_hour")}) AS runs_left
        WHERE start < ${settled("day")} AND coalesce(first_left >= start + ${lengthOf("day")}, true)`,
    }),
    count: statement({
      name: "count-open-days",
      gives: { count: t.integer },
      text: sql`
        SELECT count(DISTINCT ${beginOf("day", sql`begins_at`)})::int AS count FROM ${openHalves}
        WHERE begins_at < ${settled("day")}`,
    }),
  },
};
