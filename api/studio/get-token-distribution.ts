import { agentParams } from "../../shared/schemas/agent.ts";
import { stretchQuery, tokenDistribution } from "../../shared/schemas/figures.ts";
import { readDistribution } from "../../shared/store/analytics/read-distribution.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { readStretch } from "./read-stretch.ts";

export const getTokenDistribution = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/token-distribution",
  name: "get_token_distribution",
  area: "Studio",
  scope: "studio:read",
  summary: "How many tokens an agent's runs used",
  description: "Input and output together, as the agent reports them; a run that reports none counts as 0.",
  request: { params: agentParams, query: stretchQuery },
  responses: { 200: { description: "Percentiles and a histogram", schema: tokenDistribution } },
  async handle({ db }: ApiContext, { params: { agent_id }, query, caller }) {
    await findAgent(db, agent_id, caller);
    const { since, until } = readStretch(query);
    const tokens = await readDistribution(db, "tokens", agent_id, { since, until });
    return { status: 200, body: { agent_id, since: since.toISOString(), until: until.toISOString(), tokens } };
  },
});
