import { agentParams } from "../../shared/schemas/agent.ts";
import { latencyDistribution, stretchQuery } from "../../shared/schemas/figures.ts";
import { readDistribution } from "../../shared/store/analytics/read-distribution.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { readStretch } from "./read-stretch.ts";

export const getLatencyDistribution = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/latency-distribution",
  name: "get_latency_distribution",
  area: "Studio",
  scope: "studio:read",
  summary: "How long an agent's runs took, and waited before",
  request: { params: agentParams, query: stretchQuery },
  responses: { 200: { description: "Percentiles and histograms, in milliseconds", schema: latencyDistribution } },
  async handle({ db }: ApiContext, { params: { agent_id }, query, caller }) {
    await findAgent(db, agent_id, caller);
    const { since, until } = readStretch(query);
    const [duration_ms, queue_ms] = await Promise.all([
      readDistribution(db, "duration", agent_id, { since, until }),
      readDistribution(db, "queue", agent_id, { since, until }),
    ]);
    const stretch = { since: since.toISOString(), until: until.toISOString() };
    return { status: 200, body: { agent_id, ...stretch, duration_ms, queue_ms } };
  },
});
