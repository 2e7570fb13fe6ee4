import { agentParams } from "../../shared/schemas/agent.ts";
import { seriesQuery, studioAnalytics } from "../../shared/schemas/analytics.ts";
import { versionQuery } from "../../shared/schemas/primitives.ts";
import { readSeries } from "../../shared/store/analytics/read-series.ts";
import { countActiveRuns } from "../../shared/store/runs/read/active-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { readSeriesTimeRange } from "./read-series-time-range.ts";

export const getStudioAgentStats = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/stats",
  name: "get_studio_agent_stats",
  area: "Studio",
  scope: "studio:read",
  summary: "Analytics of an agent's runs over time",
  description: "Use it to draw an agent's runs, failures, durations and costs over time.",
  request: {
    params: agentParams,
    query: seriesQuery.extend({
      version: versionQuery().optional().meta({ description: "Only runs of this version." }),
    }),
  },
  responses: { 200: { description: "The analytics", schema: studioAnalytics } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const timeRange = readSeriesTimeRange(query);
      const [figures, open] = await Promise.all([
        readSeries(db, { by: "agent", keys: [agent_id], version: query.version }, timeRange),
        countActiveRuns(db, { agent_id }),
      ]);
      const { since, until, unit, timezone } = timeRange;
      const body = { since: since.toISOString(), until: until.toISOString(), unit, timezone, ...figures, open };
      return { status: 200, body };
    }),
});
