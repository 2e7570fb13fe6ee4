import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, agentPatch, agentRecord } from "../../shared/schemas/agent.ts";
import { patchAgent } from "../../shared/store/agents/change-agent.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const updateAgent = defineOperation({
  method: "patch",
  path: "/v1/agents/{agent_id}",
  name: "update_agent",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Change an agent's name and metadata",
  description: "The body is a merge patch (RFC 7396). To change the config, publish a new version.",
  request: { params: agentParams, body: agentPatch },
  responses: { 200: { description: "The agent", schema: agentRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id }, body: patch, caller }) {
    const body = (await patchAgent(db, agent_id, caller.owner, patch))
      ? await readAgent(db, agent_id, caller.owner)
      : null;
    if (!body) throw notFound("agent", agent_id);
    return { status: 200, body };
  },
});
