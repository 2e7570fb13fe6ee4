import type { RunAnalytics } from "../../schemas/analytics.ts";
import type { Db } from "../client.ts";
import { summed, type Sums, sums } from "./measures.ts";
import { spellFigures } from "./spell-figures.ts";
import { toFigures } from "./to-figures.ts";

/** The users or agents whose runs cost most, of those that ended in a stretch of time. */
export async function readCosts(
  db: Db,
  by: "user" | "agent",
  { since, until }: { since: Date; until: Date },
  limit: number,
): Promise<(RunAnalytics & { id: string })[]> {
  const { ctes, values } = spellFigures({ by: "all" }, { since, until, unit: null, timezone: "UTC" });
  const added = summed.map((name) => `sum(${name})::float8 AS ${name}`).join(", ");
  const [key, other] = by === "user" ? ["user_id", "agent_id"] : ["agent_id", "user_id"];
  const { rows } = await db.sql.query<Sums & { id: string }>(
    `WITH ${ctes}, each AS (
       SELECT ${key} AS id, ${summed.join(", ")} FROM parts CROSS JOIN LATERAL (
         SELECT * FROM run_rollups AS r
         WHERE r.span = parts.span::rollup_span AND r.begins_at >= parts.since AND r.begins_at < parts.until OFFSET 0) AS r
       WHERE parts.span <> 'rest' AND ${key} <> '' AND ${other} = '' AND version = ''
       UNION ALL SELECT ${key}, ${sums} FROM rest GROUP BY 1
     )
     SELECT id, ${added} FROM each GROUP BY id ORDER BY cost_micro_usd DESC, id LIMIT ${limit}`,
    values,
  );
  return rows.map(({ id, ...figures }) => ({ id, ...toFigures(figures) }));
}
