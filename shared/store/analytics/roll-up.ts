import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { histograms, indexOf } from "./histogram-columns.ts";
import { measures, sums, summed, usedBy } from "./measures.ts";
import { beginOf, lengthOf, type RollupSpan, rolledUntil } from "./rollup-span.ts";

/** A run's end is dated when its statement begins; by then the statement has surely been committed or given up. */
const settledAfter = "5 minutes";

/**
 * Rolls up the next half hour or day (UTC) that is over and in which runs ended. Returns its start; null when there is none. Of
 * two that do so at once, one does it.
 */
export async function rollUpNext(db: Db, span: RollupSpan): Promise<Date | null> {
  const start = (await statements[span].findNext.first(db.sql))?.start;
  if (!start) return null;
  await statements[span].rollUp.count(db.sql, { start });
  return start;
}

/** How many such hours or days there are. */
export async function countOpenSpans(db: Db, span: RollupSpan): Promise<number> {
  return (await statements[span].count.first(db.sql))?.count ?? 0;
}

/** Runs that ended after the last one that is rolled up. */
const open = (span: RollupSpan): Sql =>
  sql`(SELECT completed_at FROM runs WHERE completed_at >= ${rolledUntil(span)}) AS open`;
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

const rollUpOf = (span: RollupSpan): Sql => sql`
    WITH ended AS MATERIALIZED (
      SELECT user_id, agent_id, version, ${measures} FROM runs ${usedBy("runs")}
      WHERE completed_at >= $start AND completed_at < $start + ${lengthOf(span)}
    ), totals AS (
      SELECT ${keyed}, ${sums} FROM ended GROUP BY GROUPING SETS (${kinds})
    ), counted AS (
      SELECT ${keyed}, measure, index, count(*)::int AS count
      FROM (SELECT user_id, agent_id, version, measure, ${indexOf("value")} AS index
        FROM ended, LATERAL (VALUES ${joined(values, ", ")}) AS m (measure, value) WHERE value IS NOT NULL) AS indexed
      GROUP BY GROUPING SETS (${kindsBy("measure, index")})
    ), spread AS (
      SELECT user_id, agent_id, version, ${joined(pairs, ", ")} FROM counted GROUP BY user_id, agent_id, version
    ), failed AS (
      SELECT user_id, agent_id, version, json_object_agg(error_code, count) AS error_codes
      FROM (SELECT ${keyed}, error_code, count(*) AS count FROM ended WHERE error_code IS NOT NULL
        GROUP BY GROUPING SETS (${kindsBy("error_code")})) AS coded
      GROUP BY user_id, agent_id, version
    )
    INSERT INTO run_rollups (begins_at, span, user_id, agent_id, version, ${sumNames}, ${joined(columns, ", ")}, error_codes)
    SELECT $start, ${literal(span)}, user_id, agent_id, version, ${sumNames},
      ${joined(
        columns.map((column) => sql`concat('[', ${column}, ']')::json`),
        ", ",
      )}, coalesce(error_codes, '{}')
    FROM totals LEFT JOIN spread USING (user_id, agent_id, version) LEFT JOIN failed USING (user_id, agent_id, version)
    ON CONFLICT DO NOTHING`;

const statementsOf = (span: RollupSpan, name: string) => ({
  findNext: statement({
    name: `find-next-${name}`,
    gives: { start: t.timestamptz },
    text: sql`
      SELECT start FROM (SELECT ${beginOf(span, sql`min(completed_at)`)} AS start FROM ${open(span)}) AS following
      WHERE start < ${settled(span)}`,
  }),
  rollUp: statement({ name: `roll-up-${name}`, takes: { start: t.timestamptz }, text: rollUpOf(span) }),
  count: statement({
    name: `count-open-${name}s`,
    gives: { count: t.integer },
    text: sql`
      SELECT count(DISTINCT ${beginOf(span, sql`completed_at`)})::int AS count FROM ${open(span)}
      WHERE completed_at < ${settled(span)}`,
  }),
});

const statements = { half_hour: statementsOf("half_hour", "half-hour"), day: statementsOf("day", "day") };
