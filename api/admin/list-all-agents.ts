import { agentListQuery } from "../../shared/schemas/agent.ts";
import { studioAgent } from "../../shared/schemas/figures.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listStudioAgents } from "../../shared/store/analytics/list-studio-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { lastDays } from "./last-days.ts";

export const listAllAgents = defineOperation({
  method: "get",
  path: "/v1/admin/agents",
  name: "list_all_agents",
  area: "Admin",
  scope: "admin",
  summary: "Everybody's agents, with the figures of their last 30 days",
  request: { query: agentListQuery.omit({ since: true, until: true }) },
  responses: { 200: { description: "A page of agents", schema: pageOf(studioAgent, "agent_id") } },
  async handle({ db }: ApiContext, { query }) {
    const { limit, after, order, ...filter } = query;
    return {
      status: 200,
      body: await listStudioAgents(db, { owner: null, ...filter }, lastDays(), { limit, after, order }),
    };
  },
});
