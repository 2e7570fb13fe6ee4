import { agentParams } from "../../shared/schemas/agent.ts";
import { agentErrors, stretchQuery } from "../../shared/schemas/figures.ts";
import { readErrorCodes, readAnalytics } from "../../shared/store/analytics/read-analytics.ts";
import { addSums, toFigures } from "../../shared/store/analytics/to-figures.ts";
import { readLastFailures } from "../../shared/store/runs/last-failures.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findAgent } from "./find-agent.ts";
import { readStretch } from "./read-stretch.ts";

export const getAgentErrors = defineOperation({
  method: "get",
  path: "/v1/studio/agents/{agent_id}/errors",
  name: "get_agent_errors",
  area: "Studio",
  scope: "studio:read",
  summary: "What an agent's runs fail of, the most frequent first",
  request: { params: agentParams, query: stretchQuery },
  responses: { 200: { description: "Error codes, each with its last run", schema: agentErrors } },
  async handle({ db }: ApiContext, { params: { agent_id }, query, caller }) {
    await findAgent(db, agent_id, caller);
    const { since, until } = readStretch(query);
    const subject = { by: "agent", keys: [agent_id] } as const;
    const stretch = { since, until, unit: null, timezone: "UTC" };
    const [codes, sums, failures] = await Promise.all([
      readErrorCodes(db, subject, stretch),
      readAnalytics(db, subject, stretch).then(addSums),
      readLastFailures(db, agent_id, { since, until }),
    ]);
    const { runs } = toFigures(sums);
    const data = codes.map(({ code, count }) => {
      const last = failures.get(code) ?? null;
      return { code, count, share: runs > 0 ? count / runs : 0, last };
    });
    return { status: 200, body: { agent_id, since: since.toISOString(), until: until.toISOString(), runs, data } };
  },
});
