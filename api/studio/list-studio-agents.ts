import { agentListQuery } from "../../shared/schemas/agent.ts";
import { stretchQuery, studioAgent } from "../../shared/schemas/figures.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listStudioAgents as readPage } from "../../shared/store/analytics/list-studio-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readStretch } from "./read-stretch.ts";

export const listStudioAgents = defineOperation({
  method: "get",
  path: "/v1/studio/agents",
  name: "list_studio_agents",
  area: "Studio",
  scope: "studio:read",
  summary: "Agents with the figures of their runs",
  description: "`since` and `until` say of which runs.",
  request: { query: agentListQuery.extend(stretchQuery.shape) },
  responses: { 200: { description: "A page of agents", schema: pageOf(studioAgent, "agent_id") } },
  async handle({ db }: ApiContext, { query, caller }) {
    const { limit, after, order, since, until, ...filter } = query;
    const stretch = readStretch({ since, until });
    return {
      status: 200,
      body: await readPage(db, { owner: caller.owner, ...filter }, stretch, { limit, after, order }),
    };
  },
});
