import { addHistograms, percentiles } from "../../domain/analytics/histogram.ts";
import type { AgentStats } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";
import { readAnalytics } from "../analytics/read-analytics.ts";
import { addSums, countStatuses } from "../analytics/to-analytics.ts";
import { countActiveRuns } from "../runs/read/active-runs.ts";

/** Figures of an agent's runs that ended in a time range. Whose it is, the caller has checked. */
export async function readAgentStats(db: Db, agent_id: string, since: Date, until: Date): Promise<AgentStats> {
  const range = { since, until, unit: null, timezone: "UTC" };
  const [figures, open, last] = await Promise.all([
    readAnalytics(db, { by: "agent", keys: [agent_id] }, range, ["duration", "queue"]),
    countActiveRuns(db, { agent_id, since, until }),
    db.prisma.run.findFirst({ where: { agent_id }, select: { created_at: true }, orderBy: { created_at: "desc" } }),
  ]);
  const sums = addSums(figures);
  const ended = countStatuses(sums);
  const by_status = { ...Object.fromEntries(Object.entries(open).filter(([, count]) => count > 0)), ...ended };
  const finished = Object.values(ended).reduce((sum, count) => sum + count, 0);
  return {
    agent_id,
    since: since.toISOString(),
    until: until.toISOString(),
    runs: Object.values(by_status).reduce((sum, count) => sum + count, 0),
    by_status,
    success_rate: finished > 0 ? sums.success / finished : null,
    duration_ms: percentiles(addHistograms(figures.map(({ spread }) => spread.duration))),
    queue_ms: percentiles(addHistograms(figures.map(({ spread }) => spread.queue))),
    cpu_ms: sums.cpu_ms_sum,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    last_run_at: last?.created_at.toISOString() ?? null,
  };
}
