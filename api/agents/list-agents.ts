import { agentListQuery, agentListItem } from "../../shared/schemas/agent.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listAgents as readPage } from "../../shared/store/agents/list-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listAgents = defineOperation({
  method: "get",
  path: "/v1/agents",
  name: "list_agents",
  area: "Agents",
  scope: "agents:read",
  summary: "Agents, newest first",
  description: "Each agent is shown with its current version.",
  request: { query: agentListQuery },
  responses: { 200: { description: "A page of agents", schema: pageOf(agentListItem) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, include, ...rest } = query;
    const filter = { ...rest, with_config: include.includes("config") };
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
