import type { Db } from "../client.ts";
import { histograms, indexOf, measures, sums, summed } from "./measures.ts";

/** A run's end is dated when its statement begins; by then the statement has surely been committed or given up. */
const settledAfter = "5 minutes";

/**
 * Rolls up the next hour that is over and in which runs ended. Gives its start; null when there is none. Of two that do so
 * at once, one does it.
 */
export async function rollUpNextHour(db: Db): Promise<Date | null> {
  const { rows } = await db.sql.query<{ hour: Date }>(
    `SELECT hour FROM (SELECT date_trunc('hour', min(completed_at), 'UTC') AS hour FROM ${open}) AS following
     WHERE hour < ${settled}`,
  );
  const hour = rows[0]?.hour;
  if (!hour) return null;
  await db.sql.query({ ...statement, values: [hour] });
  return hour;
}

/** How many such hours there are. */
export async function countOpenHours(db: Db): Promise<number> {
  const { rows } = await db.sql.query<{ hours: number }>(
    `SELECT count(DISTINCT date_trunc('hour', completed_at, 'UTC'))::int AS hours FROM ${open} WHERE completed_at < ${settled}`,
  );
  return rows[0]?.hours ?? 0;
}

/** Runs that ended after the last hour that is rolled up. */
const open = `
  (SELECT completed_at FROM runs
   WHERE completed_at >= coalesce((SELECT max(hour) + interval '1 hour' FROM run_rollups), '-infinity')) AS open`;
const settled = `date_trunc('hour', now() - interval '${settledAfter}', 'UTC')`;

/** Four kinds of rows: of an agent's version, of an agent, of a user, of all. */
const kinds = "(agent_id, version), (agent_id), (user_id), ()";
const kindsBy = (more: string) => `(agent_id, version, ${more}), (agent_id, ${more}), (user_id, ${more}), (${more})`;
const keyed = ["user_id", "agent_id", "version"].map((key) => `coalesce(${key}, '') AS ${key}`).join(", ");
const values = Object.entries(histograms).map(([name, { value }]) => `('${name}', ${value})`);
const pairs = Object.entries(histograms).map(
  ([name, { column }]) =>
    `coalesce(array_agg(ARRAY[index, count] ORDER BY index) FILTER (WHERE measure = '${name}'), '{}') AS ${column}`,
);
const columns = Object.values(histograms).map(({ column }) => column);

const statement = {
  name: "roll-up-hour",
  text: `
    WITH ended AS MATERIALIZED (
      SELECT user_id, agent_id, version, ${measures} FROM runs
      WHERE completed_at >= $1 AND completed_at < $1::timestamptz + interval '1 hour'
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
    INSERT INTO run_rollups (hour, user_id, agent_id, version, ${summed.join(", ")}, ${columns.join(", ")}, error_codes)
    SELECT $1, user_id, agent_id, version, ${summed.join(", ")},
      ${columns.map((column) => `coalesce(${column}, '{}')`).join(", ")}, coalesce(error_codes, '{}')
    FROM totals LEFT JOIN spread USING (user_id, agent_id, version) LEFT JOIN failed USING (user_id, agent_id, version)
    ON CONFLICT DO NOTHING`,
};
