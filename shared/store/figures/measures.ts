/** What an agent reported, in bounds: a wild number must not overflow a sum. */
const reported = (field: string, most: number) => `least(greatest(coalesce(used.${field}, 0), 0), ${most})`;

/** SQL, to be joined to the rows of `runs` for the measures. One parse for all, since that is what takes the time. */
export const usedBy = (runs: string): string => `
  CROSS JOIN LATERAL json_to_record(coalesce(${runs}.usage, '{}'))
    AS used (cpu_ms float8, input_tokens float8, output_tokens float8, cost_usd float8)`;

/** SQL: what figures are made of, as columns of the rows of `runs` that have ended. */
export const measures = `
  status, coalesce(duration_ms, 0)::float8 AS duration_ms,
  greatest(extract(epoch FROM started_at - created_at) * 1000, 0)::float8 AS queue_ms,
  ${reported("cpu_ms", 1e12)} AS cpu_ms, ${reported("input_tokens", 1e12)} AS input_tokens,
  ${reported("output_tokens", 1e12)} AS output_tokens, round(${reported("cost_usd", 1e6)} * 1e6) AS cost_micro_usd,
  -- By its text, since json->> refuses a text that has \\u0000 in any of its fields. The code comes first.
  substring(error::text FROM '"code" ?: ?"([^"\\\\]{1,64})"') AS error_code`;

/** SQL: the sums of such rows, named as the columns of `run_rollups` are. */
export const sums = `
  count(*) FILTER (WHERE status = 'success') AS success, count(*) FILTER (WHERE status = 'error') AS error,
  count(*) FILTER (WHERE status = 'timeout') AS timeout, count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
  count(*) FILTER (WHERE status = 'expired') AS expired,
  coalesce(sum(duration_ms), 0) AS duration_ms_sum, coalesce(sum(queue_ms), 0) AS queue_ms_sum,
  coalesce(sum(cpu_ms), 0) AS cpu_ms_sum, coalesce(sum(input_tokens), 0) AS input_tokens,
  coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(cost_micro_usd), 0) AS cost_micro_usd`;

export const summed = [
  "success",
  "error",
  "timeout",
  "cancelled",
  "expired",
  "duration_ms_sum",
  "queue_ms_sum",
  "cpu_ms_sum",
  "input_tokens",
  "output_tokens",
  "cost_micro_usd",
] as const;
export type Sums = Record<(typeof summed)[number], number>;
