import { agentParams } from "../../shared/schemas/agent.ts";
import { agentErrors, timeRangeQuery } from "../../shared/schemas/analytics.ts";
import { readErrorCodes, readAnalytics } from "../../shared/store/analytics/read-analytics.ts";
import { addSums, toAnalytics } from "../../shared/store/analytics/to-analytics.ts";
import { readLastFailures } from "../../shared/store/runs/errors/last-failures.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const getAgentErrors = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/errors",
  name: "get_agent_errors",
  area: "Studio",
  scope: "studio:read",
  summary: "The errors of an agent's runs, most frequent first",
  description: "Use it to see what to fix first: errors grouped by their code, with a recent run of each.",
  request: { params: agentParams, query: timeRangeQuery },
  responses: { 200: { description: "Error codes, each with its latest run", schema: agentErrors } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const { since, until } = timeRangeOf(query);
      const subject = { by: "agent", keys: [agent_id] } as const;
      const timeRange = { since, until, unit: null, timezone: "UTC" };
      const [codes, sums, failures] = await Promise.all([
        readErrorCodes(db, subject, timeRange),
        readAnalytics(db, subject, timeRange).then(addSums),
        readLastFailures(db, agent_id, { since, until }),
      ]);
      const { runs } = toAnalytics(sums);
      const data = codes.map(({ code, count }) => {
        const last = failures.get(code) ?? null;
        return { code, count, share: runs > 0 ? count / runs : 0, last };
      });
      return { status: 200, body: { agent_id, since: since.toISOString(), until: until.toISOString(), runs, data } };
    }),
});
