import { agentParams } from "../../shared/schemas/agent.ts";
import { timeRangeQuery, tokenDistribution } from "../../shared/schemas/analytics.ts";
import { readDistribution } from "../../shared/store/analytics/read-distribution.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const getTokenDistribution = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/token-distribution",
  name: "get_token_distribution",
  area: "Studio",
  scope: "studio:read",
  summary: "The token usage of an agent's runs",
  description:
    "The sum of input and output tokens: those that were metered, or where no call of a run was, those that its agent reported. A run without either counts as 0.",
  request: { params: agentParams, query: timeRangeQuery },
  responses: { 200: { description: "Percentiles and a histogram", schema: tokenDistribution } },
  handle: ({ read }: Pick<ApiContext, "read">, { params: { agent_id }, query, caller }) =>
    read(async (db) => {
      await findAgent(db, agent_id, caller);
      const { since, until } = timeRangeOf(query);
      const tokens = await readDistribution(db, "tokens", agent_id, { since, until });
      return { status: 200, body: { agent_id, since: since.toISOString(), until: until.toISOString(), tokens } };
    }),
});
