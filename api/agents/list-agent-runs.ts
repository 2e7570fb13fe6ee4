import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams } from "../../shared/schemas/agent.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { runListItem } from "../../shared/schemas/run.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { listRuns } from "../../shared/store/runs/read/list-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listAgentRuns = defineOperation({
  method: "get",
  path: "/v1/agents/{agent_id}/runs",
  name: "list_agent_runs",
  area: "Agents",
  scope: "runs:read",
  summary: "An agent's runs, newest first",
  description: "The list of runs, of one agent. Use its filters to find the failed or the running ones.",
  request: { params: agentParams, query: runListQuery.omit({ agent_id: true }) },
  responses: { 200: { description: "A page of runs", schema: pageOf(runListItem) } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      if (!(await readAgent(db, agent_id, caller.owner))) throw notFound("agent", agent_id);
      const { limit, after, order, ...filter } = query;
      return {
        status: 200,
        body: await listRuns(db, caller.owner, { ...filter, agent_id }, { limit, after, order }),
      };
    }),
});
