import { terminalStatuses, type TerminalStatus } from "../../domain/run/run-status.ts";
import { type Column, t } from "../columns.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";

/** What an agent reported, in bounds: a wild number must not overflow a sum. */
const reported = (field: string, most: number): Sql =>
  sql`least(greatest(coalesce(used.${raw(field)}, 0), 0), ${literal(most)})`;

/** SQL, to be joined to the rows of `runs` for the measures. One parse for all, since that is what takes the time. */
export const usedBy = (runs: string): Sql => sql`
  CROSS JOIN LATERAL json_to_record(coalesce(${raw(runs)}.usage, '{}'))
    AS used (cpu_ms float8, input_tokens float8, output_tokens float8, cost_usd float8)`;

/** SQL: what figures are made of, as columns of the rows of `runs` that have ended. Of a run that never started, duration and queue time are null. */
export const measures = sql`
  status, CASE WHEN started_at IS NOT NULL THEN coalesce(duration_ms, 0)::float8 END AS duration_ms,
  CASE WHEN started_at IS NOT NULL
    THEN greatest(extract(epoch FROM started_at - coalesce(due_at, created_at)) * 1000, 0)::float8 END AS queue_ms,
  ${reported("cpu_ms", 1e12)} AS cpu_ms, ${reported("input_tokens", 1e12)} AS input_tokens,
  ${reported("output_tokens", 1e12)} AS output_tokens, round(${reported("cost_usd", 1e6)} * 1e6) AS cost_micro_usd,
  -- By its text, since json->> refuses a text that has \\u0000 in any of its fields. The code comes first.
  substring(error::text FROM '"code" ?: ?"([^"\\\\]{1,64})"') AS error_code`;

const count = (status: TerminalStatus): Sql =>
  sql`count(*) FILTER (WHERE status = ${literal(status)}) AS ${raw(status)}`;

/** SQL: the sums of such rows, named as the columns of `run_rollups` are. */
export const sums = sql`
  ${joined(terminalStatuses.map(count), ", ")},
  coalesce(sum(duration_ms), 0) AS duration_ms_sum, coalesce(sum(queue_ms), 0) AS queue_ms_sum,
  coalesce(sum(cpu_ms), 0) AS cpu_ms_sum, coalesce(sum(input_tokens), 0) AS input_tokens,
  coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(cost_micro_usd), 0) AS cost_micro_usd`;

export const summed = [
  ...terminalStatuses,
  "duration_ms_sum",
  "queue_ms_sum",
  "cpu_ms_sum",
  "input_tokens",
  "output_tokens",
  "cost_micro_usd",
] as const;
export type Sums = Record<(typeof summed)[number], number>;

/** The result columns that hold the sums. */
export const sumColumns = Object.fromEntries(summed.map((name) => [name, t.double])) as Record<
  (typeof summed)[number],
  Column<number>
>;
