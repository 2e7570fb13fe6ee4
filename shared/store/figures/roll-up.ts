import type { Db } from "../client.ts";
import { histograms, indexOf } from "./histogram-columns.ts";
import { measures, sums, summed, usedBy } from "./measures.ts";
import { beginOf, lengthOf, type RollupSpan, rolledUntil } from "./rollup-span.ts";

/** A run's end is dated when its statement begins; by then the statement has surely been committed or given up. */
const settledAfter = "5 minutes";

/**
 * Rolls up the next half hour or day (UTC) that is over and in which runs ended. Gives its start; null when there is none. Of
 * two that do so at once, one does it.
 */
export async function rollUpNext(db: Db, span: RollupSpan): Promise<Date | null> {
  const { rows } = await db.sql.query<{ start: Date }>(
    `SELECT start FROM (SELECT ${beginOf(span, "min(completed_at)")} AS start FROM ${open(span)}) AS following
     WHERE start < ${settled(span)}`,
  );
  const start = rows[0]?.start;
  if (!start) return null;
  await db.sql.query(statement(span), [start]);
  return start;
}

/** How many such hours or days there are. */
export async function countOpenSpans(db: Db, span: RollupSpan): Promise<number> {
  const { rows } = await db.sql.query<{ count: number }>(
    `SELECT count(DISTINCT ${beginOf(span, "completed_at")})::int AS count FROM ${open(span)}
     WHERE completed_at < ${settled(span)}`,
  );
  return rows[0]?.count ?? 0;
}

/** Runs that ended after the last one that is rolled up. */
const open = (span: RollupSpan): string =>
  `(SELECT completed_at FROM runs WHERE completed_at >= ${rolledUntil(span)}) AS open`;
const settled = (span: RollupSpan): string => beginOf(span, `now() - interval '${settledAfter}'`);

/** Four kinds of rows: of an agent's version, of an agent, of a user, of all. */
const kinds = "(agent_id, version), (agent_id), (user_id), ()";
const kindsBy = (more: string) => `(agent_id, version, ${more}), (agent_id, ${more}), (user_id, ${more}), (${more})`;
const keyed = ["user_id", "agent_id", "version"].map((key) => `coalesce(${key}, '') AS ${key}`).join(", ");
const values = Object.entries(histograms).map(([name, { value }]) => `('${name}', ${value})`);
// Without the blanks that json_agg puts in: figures read a megabyte of these.
const pairs = Object.entries(histograms).map(
  ([name, { column }]) =>
    `string_agg('[' || index || ',' || count || ']', ',') FILTER (WHERE measure = '${name}') AS ${column}`,
);
const columns = Object.values(histograms).map(({ column }) => column);

const statement = (span: RollupSpan): string => `
    WITH ended AS MATERIALIZED (
      SELECT user_id, agent_id, version, ${measures} FROM runs ${usedBy("runs")}
      WHERE completed_at >= $1 AND completed_at < $1::timestamptz + ${lengthOf(span)}
    ), totals AS (
      SELECT ${keyed}, ${sums} FROM ended GROUP BY GROUPING SETS (${kinds})
    ), counted AS (
      SELECT ${keyed}, measure, index, count(*)::int AS count
      FROM (SELECT user_id, agent_id, version, measure, ${indexOf("value")} AS index
        FROM ended, LATERAL (VALUES ${values.join(", ")}) AS m (measure, value) WHERE value IS NOT NULL) AS indexed
      GROUP BY GROUPING SETS (${kindsBy("measure, index")})
    ), spread AS (
      SELECT user_id, agent_id, version, ${pairs.join(", ")} FROM counted GROUP BY user_id, agent_id, version
    ), failed AS (
      SELECT user_id, agent_id, version, json_object_agg(error_code, count) AS error_codes
      FROM (SELECT ${keyed}, error_code, count(*) AS count FROM ended WHERE error_code IS NOT NULL
        GROUP BY GROUPING SETS (${kindsBy("error_code")})) AS coded
      GROUP BY user_id, agent_id, version
    )
    INSERT INTO run_rollups (begins_at, span, user_id, agent_id, version, ${summed.join(", ")}, ${columns.join(", ")}, error_codes)
    SELECT $1, '${span}', user_id, agent_id, version, ${summed.join(", ")},
      ${columns.map((column) => `concat('[', ${column}, ']')::json`).join(", ")}, coalesce(error_codes, '{}')
    FROM totals LEFT JOIN spread USING (user_id, agent_id, version) LEFT JOIN failed USING (user_id, agent_id, version)
    ON CONFLICT DO NOTHING`;
