import { agentListQuery } from "../../shared/schemas/agent.ts";
import { timeRangeQuery, studioAgent } from "../../shared/schemas/analytics.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listStudioAgents as readPage } from "../../shared/store/analytics/list-studio-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const listStudioAgents = defineOperation({
  method: "get",
  path: "/v1/studio/agents",
  name: "list_studio_agents",
  area: "Studio",
  scope: "studio:read",
  summary: "Agents with the analytics of their runs",
  description: "`since` and `until` select the runs.",
  request: { query: agentListQuery.extend(timeRangeQuery.shape) },
  responses: { 200: { description: "A page of agents", schema: pageOf(studioAgent, "agent_id") } },
  handle: ({ read }: Pick<ApiContext, "read">, { query, caller }) =>
    read(async (db) => {
      const { limit, after, order, since, until, ...filter } = query;
      const timeRange = timeRangeOf({ since, until });
      return {
        status: 200,
        body: await readPage(db, { owner: caller.owner, ...filter }, timeRange, { limit, after, order }),
      };
    }),
});
