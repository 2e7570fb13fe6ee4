import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, agentRecord } from "../../shared/schemas/agent.ts";
import { setAgentStatus } from "../../shared/store/agents/change-agent.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const resumeAgent = defineOperation({
  method: "post",
  path: "/v1/agents/{agent_id}/resume",
  name: "resume_agent",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Resume a paused agent",
  description: "Its queued runs start within seconds.",
  request: { params: agentParams },
  responses: { 200: { description: "The agent", schema: agentRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id }, caller }) {
    const stands = await setAgentStatus(db, agent_id, caller.owner, "active");
    const body = stands ? await readAgent(db, agent_id, caller.owner) : null;
    if (!body) throw notFound("agent", agent_id);
    return { status: 200, body };
  },
});
