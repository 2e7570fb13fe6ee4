import { agentParams } from "../../shared/schemas/agent.ts";
import { latencyDistribution, timeRangeQuery } from "../../shared/schemas/analytics.ts";
import { readDistribution } from "../../shared/store/analytics/read-distribution.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const getLatencyDistribution = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/latency-distribution",
  name: "get_latency_distribution",
  area: "Studio",
  scope: "studio:read",
  summary: "The durations and queue times of an agent's runs",
  description:
    "Use it to see what a slow run means for this agent: percentiles and histograms. Runs that never started count in neither.",
  request: { params: agentParams, query: timeRangeQuery },
  responses: { 200: { description: "Percentiles and histograms, in milliseconds", schema: latencyDistribution } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const { since, until } = timeRangeOf(query);
      const [duration_ms, queue_ms] = await Promise.all([
        readDistribution(db, "duration", agent_id, { since, until }),
        readDistribution(db, "queue", agent_id, { since, until }),
      ]);
      const timeRange = { since: since.toISOString(), until: until.toISOString() };
      return { status: 200, body: { agent_id, ...timeRange, duration_ms, queue_ms } };
    }),
});
