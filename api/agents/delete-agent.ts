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
    "Deletes the agent with its versions, tags, secrets and jobs. Its runs are not deleted. 409 while one of its runs has not ended or its daemon has not stopped.",
  request: { params: agentParams },
  errors: ["agent_in_use"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id }, caller }) {
    const done = await remove(db, agent_id, caller.owner);
    if (done === "missing") throw notFound("agent", agent_id);
    if (done === "in_use")
      throw conflict(
        "agent_in_use",
        "A run of the agent has not ended, or its daemon has not stopped. Cancel the runs and stop the daemon first.",
      );
    return { status: 204 };
  },
});
