import { notFound } from "../../shared/domain/errors/app-error.ts";
import { secretParams } from "../../shared/schemas/agent.ts";
import { deleteSecret } from "../../shared/store/agents/secrets.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteAgentSecret = defineOperation({
  method: "delete",
  path: "/v1/agents/{agent_id}/secrets/{name}",
  name: "delete_agent_secret",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Remove a secret of an agent",
  description: "Later runs no longer get the variable. A running run keeps it until its end.",
  request: { params: secretParams },
  errors: ["secret_not_found"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id, name }, caller }) {
    if (!(await deleteSecret(db, agent_id, name, caller.owner))) throw notFound("secret", name);
    return { status: 204 };
  },
});
