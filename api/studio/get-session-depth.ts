import { z } from "zod";
import { agentParams } from "../../shared/schemas/agent.ts";
import { sessionDepth } from "../../shared/schemas/analytics.ts";
import { timeRange } from "../../shared/schemas/run-filter.ts";
import { readSessionDepth } from "../../shared/store/analytics/read-session-depth.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const getSessionDepth = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/session-depth",
  name: "get_session_depth",
  area: "Studio",
  scope: "studio:read",
  summary: "The number of runs in an agent's threads",
  description: "Counts the threads that were created in the last 30 days, or between `since` and `until`.",
  request: { params: agentParams, query: z.object(timeRange) },
  responses: { 200: { description: "The occurring numbers of runs", schema: sessionDepth } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const { since, until } = timeRangeOf(query);
      const depths = await readSessionDepth(db, agent_id, { since, until });
      const threads = depths.reduce((sum, depth) => sum + depth.threads, 0);
      const runs = depths.reduce((sum, depth) => sum + depth.runs * depth.threads, 0);
      const timeRange = { since: since.toISOString(), until: until.toISOString() };
      return {
        status: 200,
        body: { agent_id, ...timeRange, threads, mean: threads > 0 ? runs / threads : null, depths },
      };
    }),
});
