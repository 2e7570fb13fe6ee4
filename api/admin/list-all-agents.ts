import { agentListQuery } from "../../shared/schemas/agent.ts";
import { studioAgent } from "../../shared/schemas/analytics.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listStudioAgents } from "../../shared/store/analytics/list-studio-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const listAllAgents = defineOperation({
  method: "get",
  path: "/v1/admin/agents",
  name: "list_all_agents",
  area: "Admin",
  scope: "admin",
  summary: "All users' agents, with the analytics of their last 30 days",
  description: "Use it to find the agents that fail, cost or run most, whoever owns them.",
  request: { query: agentListQuery.omit({ since: true, until: true, include: true }) },
  responses: { 200: { description: "A page of agents", schema: pageOf(studioAgent, "agent_id") } },
  handle: ({ read }: Pick<ApiContext, "read">, { query }) =>
    read(async (db) => {
      const { limit, after, order, ...filter } = query;
      return {
        status: 200,
        body: await listStudioAgents(db, { owner: null, ...filter }, timeRangeOf(), { limit, after, order }),
      };
    }),
});
