import { agentParams } from "../../shared/schemas/agent.ts";
import { usageEntry } from "../../shared/schemas/analytics.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { listUsage } from "../../shared/store/runs/read/list-run-usage.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";

export const listUsageLog = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/usage-log",
  name: "list_usage_log",
  area: "Studio",
  scope: "studio:read",
  summary: "The usage of each of an agent's runs, newest first",
  description: "Use it to find the runs that used most tokens or CPU time.",
  request: {
    params: agentParams,
    query: runListQuery.omit({ agent_id: true, search: true, thread_id: true, include: true, order_by: true }),
  },
  responses: { 200: { description: "A page of runs", schema: pageOf(usageEntry) } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const { limit, after, order, ...filter } = query;
      return { status: 200, body: await listUsage(db, caller.owner, { ...filter, agent_id }, { limit, after, order }) };
    }),
});
