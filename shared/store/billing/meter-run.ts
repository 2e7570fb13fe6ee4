type Of = { usage: string; duration_ms: string; id: string; status: string };

/**
 * SQL: notes what the run in the CTE `ended` has used, in the statement that ends it, so that each run is metered once. A
 * run that never started isn't, nor is one that expired. The arguments name what holds its usage (json), its duration, an id
 * to derive the record's from, and its status. The agent reports the usage, so each figure is held to what its column takes.
 */
export const meterRun = ({ usage, duration_ms, id, status }: Of): string => `
  INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, run_id, duration_ms, cpu_ms,
    input_tokens, output_tokens, cost_micro_usd)
  SELECT 'usage_' || substr(${id}, 5), user_id, agent_id, version, 'run', id, id, ${duration_ms}::bigint,
    ${["cpu_ms", "input_tokens", "output_tokens"].map((field) => figure(usage, field, 1)).join(", ")},
    ${figure(usage, "cost_usd", 1_000_000)}
  FROM ended WHERE started_at IS NOT NULL AND ${status} <> 'expired'
  ON CONFLICT (source, source_id) DO NOTHING`;

/** A million USD; years; and millions of such runs still add up to a bigint. */
const most = 1_000_000_000_000;

const figure = (usage: string, field: string, scale: number): string =>
  `least(greatest(coalesce((${usage}::json ->> '${field}')::numeric, 0) * ${scale}, 0), ${most})::bigint`;
