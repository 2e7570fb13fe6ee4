import { literal, raw, type Sql, sql } from "../sql.ts";

/**
 * SQL: notes what the runs in the CTE `moved` have used, in the statement that ends them, so that each run is metered once.
 * A run that never started is not metered, nor is one that expired. `message_id` is an id to derive the record's from.
 * The agent reports the usage, so each figure is held to what its column takes.
 */
export const meterRuns = (): Sql => sql`
  INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, run_id, duration_ms, cpu_ms,
    input_tokens, output_tokens, cost_micro_usd)
  SELECT 'usage_' || substr(message_id, 5), user_id, agent_id, version, 'run', id, id, duration_ms,
    ${reported("cpu_ms", 1)}, ${reported("input_tokens", 1)}, ${reported("output_tokens", 1)},
    ${reported("cost_usd", 1_000_000)}
  FROM moved WHERE started_at IS NOT NULL
  ON CONFLICT (source, source_id) DO NOTHING`;

/** A million USD; years; and millions of such runs still add up to a bigint. */
const most = 1_000_000_000_000;

const reported = (field: string, scale: number): Sql => sql`
  least(greatest(coalesce((usage::json ->> ${literal(field)})::numeric, 0) * ${literal(scale)}, 0), ${raw(String(most))})::bigint`;
