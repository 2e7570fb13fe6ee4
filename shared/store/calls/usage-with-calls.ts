import { type Sql, sql } from "../sql.ts";

/**
 * SQL: a usage of the row of `runs`, as its attempts have told it, with its calls that none of them has told of: an attempt that is
 * lost, or under way, tells nothing, and one that ends doesn't tell of a call that is read on. Null where each counted call was told.
 */
export const usageWithCallsOf = (told: Sql): Sql => sql`(
      SELECT (told.usage || jsonb_object_agg(name, coalesce((told.usage ->> name)::numeric, 0) + untold)
        || jsonb_build_object('metered', jsonb_object_agg(name, coalesce((told.usage -> 'metered' ->> name)::numeric, 0) + untold)))::json
      FROM (SELECT coalesce((${told})::jsonb, '{}') AS usage) AS told, (
        SELECT sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, coalesce(sum(cost_micro_usd), 0) / 1000000 AS cost_usd
        FROM run_calls WHERE run_id = runs.id AND counted IN ('metered', 'estimated')
      ) AS calls, LATERAL (
        SELECT name, greatest(total - coalesce((told.usage -> 'metered' ->> name)::numeric, 0), 0) AS untold
        FROM (VALUES ('input_tokens', input_tokens), ('output_tokens', output_tokens), ('cost_usd', cost_usd)) AS sums (name, total)
      ) AS rest
      WHERE input_tokens IS NOT NULL GROUP BY told.usage
      HAVING sum(untold) FILTER (WHERE name <> 'cost_usd') > 0)`;

/** SQL: the same of the usage in the row itself. */
export const usageWithCalls: Sql = usageWithCallsOf(sql`runs.usage`);
