import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams } from "../../shared/schemas/agent.ts";
import { deleteAgent as remove } from "../../shared/store/agents/change-agent.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteAgent = defineOperation({
  method: "delete",
  path: "/v1/agents/{agent_id}",
  name: "delete_agent",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Delete an agent",
  description:
    "With its versions, tags, secrets and jobs; its runs stay on record. 409 while a run has not ended or its daemon has not stopped.",
  request: { params: agentParams },
  errors: ["agent_in_use"],
  responses: { 204: { description: "It is gone" } },
  async handle({ db }: ApiContext, { params: { agent_id }, caller }) {
    const done = await remove(db, agent_id, caller.owner);
    if (done === "missing") throw notFound("agent", agent_id);
    if (done === "in_use") throw conflict("agent_in_use", "A run of it has not ended, or its daemon has not stopped.");
    return { status: 204 };
  },
});
