import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, agentStats } from "../../shared/schemas/agent.ts";
import { timeRange } from "../../shared/schemas/run-filter.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { readAgentStats } from "../../shared/store/agents/read-stats.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

const shownMs = 30 * 24 * 3_600_000;

export const getAgentStats = defineOperation({
  method: "get",
  path: "/v1/agents/{agent_id}/stats",
  name: "get_agent_stats",
  area: "Agents",
  scope: "agents:read",
  summary: "Figures of an agent's runs",
  description:
    "Of the runs that ended in the last 30 days, unless `since` and `until` say otherwise, and of those that were made then and go on.",
  request: { params: agentParams, query: z.object(timeRange) },
  responses: { 200: { description: "The figures", schema: agentStats } },
  async handle({ db }: ApiContext, { params: { agent_id }, query, caller }) {
    if (!(await readAgent(db, agent_id, caller.owner))) throw notFound("agent", agent_id);
    const until = query.until ?? new Date();
    const since = query.since ?? new Date(until.getTime() - shownMs);
    return { status: 200, body: await readAgentStats(db, agent_id, since, until) };
  },
});
