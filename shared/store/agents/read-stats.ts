import type { AgentStats } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";

type Percentiles = { p50: number | null; p95: number | null; p99: number | null };
type Row = {
  runs: number;
  by_status: Record<string, number> | null;
  ended: number;
  success: number;
  duration: number[] | null;
  queue: number[] | null;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  last_run_at: Date | null;
};

/** Figures of an agent's runs that were made in a stretch of time. Whose it is, the caller has checked. */
export async function readAgentStats(db: Db, agent_id: string, since: Date, until: Date): Promise<AgentStats> {
  const { rows } = await db.sql.query<Row>({ ...statement, values: [agent_id, since, until] });
  const [row] = rows;
  if (!row) throw new Error("An aggregate gives one row.");
  return {
    agent_id,
    since: since.toISOString(),
    until: until.toISOString(),
    runs: row.runs,
    by_status: row.by_status ?? {},
    success_rate: row.ended > 0 ? row.success / row.ended : null,
    duration_ms: percentiles(row.duration),
    queue_ms: percentiles(row.queue),
    cpu_ms: row.cpu_ms,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    last_run_at: row.last_run_at?.toISOString() ?? null,
  };
}

function percentiles(values: number[] | null): Percentiles {
  const [p50, p95, p99] = (values ?? []).map((value) => Math.round(value));
  return { p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null };
}

const statement = {
  name: "read-agent-stats",
  text: `
    WITH mine AS (
      SELECT status, duration_ms, usage, created_at, completed_at,
        extract(epoch FROM started_at - created_at) * 1000 AS queue_ms
      FROM runs WHERE agent_id = $1 AND created_at >= $2 AND created_at < $3
    )
    SELECT count(*)::int AS runs, max(created_at) AS last_run_at,
      (SELECT json_object_agg(status, n) FROM (SELECT status, count(*)::int AS n FROM mine GROUP BY status) s) AS by_status,
      count(completed_at)::int AS ended, count(*) FILTER (WHERE status = 'success')::int AS success,
      percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY duration_ms) AS duration,
      percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY queue_ms::float8) AS queue,
      coalesce(sum((usage->>'cpu_ms')::float8), 0) AS cpu_ms,
      coalesce(sum((usage->>'input_tokens')::float8), 0) AS input_tokens,
      coalesce(sum((usage->>'output_tokens')::float8), 0) AS output_tokens
    FROM mine`,
};
