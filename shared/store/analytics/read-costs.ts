import type { RunAnalytics } from "../../schemas/analytics.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { query } from "../query.ts";
import { joined, literal, raw, sql } from "../sql.ts";
import { sumColumns, summed, sums } from "./measures.ts";
import { buildAnalyticsSql } from "./build-analytics-sql.ts";
import { toAnalytics } from "./to-analytics.ts";

/** The users or agents whose runs cost most, of those that ended in a time range. */
export async function readCosts(
  db: Db,
  by: "user" | "agent",
  { since, until }: { since: Date; until: Date },
  limit: number,
): Promise<(RunAnalytics & { id: string })[]> {
  const range = { since, until, unit: null, timezone: "UTC" } as const;
  const added = summed.map((name) => sql`sum(${raw(name)})::float8 AS ${raw(name)}`);
  const [key, other] = by === "user" ? [raw("user_id"), raw("agent_id")] : [raw("agent_id"), raw("user_id")];
  const rows = await query(
    db.sql,
    { id: t.text, ...sumColumns },
    sql`WITH ${buildAnalyticsSql({ by: "all" }, range)}, each AS (
       SELECT ${key} AS id, ${joined(summed.map(raw), ", ")} FROM parts CROSS JOIN LATERAL (
         SELECT * FROM run_rollups AS r
         WHERE r.span = parts.span::rollup_span AND r.begins_at >= parts.since AND r.begins_at < parts.until OFFSET 0) AS r
       WHERE parts.span <> 'rest' AND ${key} <> '' AND ${other} = '' AND version = ''
       UNION ALL SELECT ${key}, ${sums} FROM rest GROUP BY 1
     )
     SELECT id, ${joined(added, ", ")} FROM each GROUP BY id ORDER BY cost_micro_usd DESC, id LIMIT ${literal(limit)}`,
  );
  return rows.map(({ id, ...figures }) => ({ id, ...toAnalytics(figures) }));
}
