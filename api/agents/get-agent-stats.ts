import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, agentStats } from "../../shared/schemas/agent.ts";
import { timeRange } from "../../shared/schemas/run-filter.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { readAgentStats } from "../../shared/store/agents/read-stats.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getAgentStats = defineOperation({
  method: "get",
  path: "/v1/agents/{agent_id}/stats",
  name: "get_agent_stats",
  area: "Agents",
  scope: "agents:read",
  summary: "Analytics of an agent's runs",
  description:
    "Counts the runs that ended in the last 30 days, or between `since` and `until`, and the runs that were created in that time and have not ended.",
  request: { params: agentParams, query: z.object(timeRange) },
  responses: { 200: { description: "The analytics", schema: agentStats } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      if (!(await readAgent(db, agent_id, caller.owner))) throw notFound("agent", agent_id);
      const { since, until } = timeRangeOf(query);
      return { status: 200, body: await readAgentStats(db, agent_id, since, until) };
    }),
});
