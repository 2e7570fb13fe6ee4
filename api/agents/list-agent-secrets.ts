import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, secretList } from "../../shared/schemas/agent.ts";
import { listSecrets } from "../../shared/store/agents/secrets.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listAgentSecrets = defineOperation({
  method: "get",
  path: "/v1/agents/{agent_id}/secrets",
  name: "list_agent_secrets",
  area: "Agents",
  scope: "agents:read",
  summary: "The names of an agent's secrets",
  description: "The values are never returned.",
  request: { params: agentParams },
  responses: {
    200: { description: "The names", schema: secretList },
  },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id }, caller }) {
    const data = await listSecrets(db, agent_id, caller.owner);
    if (!data) throw notFound("agent", agent_id);
    return { status: 200, body: { data } };
  },
});
