import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, agentRecord } from "../../shared/schemas/agent.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getAgent = defineOperation({
  method: "get",
  path: "/v1/agents/{agent_id}",
  name: "get_agent",
  area: "Agents",
  scope: "agents:read",
  summary: "An agent with its current version",
  description:
    "Use it to read the config that runs of `current` use. `GET /v1/versions/{agent_id}/{version}` reads any other version.",
  request: { params: agentParams },
  responses: { 200: { description: "The agent", schema: agentRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller }) {
    const body = await readAgent(db, params.agent_id, caller.owner);
    if (!body) throw notFound("agent", params.agent_id);
    return { status: 200, body };
  },
});
