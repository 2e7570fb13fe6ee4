import { agentParams } from "../../shared/schemas/agent.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { runListItem } from "../../shared/schemas/run.ts";
import { listRuns } from "../../shared/store/runs/read/list-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";

export const listStudioAgentRuns = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/runs",
  name: "list_studio_agent_runs",
  area: "Studio",
  scope: "studio:read",
  summary: "An agent's runs, newest first",
  description: "Use it to go from a figure to the runs behind it.",
  request: { params: agentParams, query: runListQuery.omit({ agent_id: true }) },
  responses: { 200: { description: "A page of runs", schema: pageOf(runListItem) } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const { limit, after, order, ...filter } = query;
      return {
        status: 200,
        body: await listRuns(db, caller.owner, { ...filter, agent_id }, { limit, after, order }),
      };
    }),
});
