import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { secretParams, secretTag } from "../../shared/schemas/agent.ts";
import { readAgentOwner } from "../../shared/store/agents/read-agent-owner.ts";
import { deleteSecret } from "../../shared/store/agents/secrets.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { deleteSecret as deleteTagged } from "../../shared/store/secrets/change-secret.ts";
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
  request: { params: secretParams, query: z.object(secretTag) },
  errors: ["secret_not_found"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id, name }, query: { tag }, caller }) {
    const isDeleted = await (tag === undefined
      ? deleteSecret(db, agent_id, name, caller.owner)
      : deleteOfTag(db, caller.owner, { agent_id, tag, name }));
    if (!isDeleted) throw notFound("secret", name);
    return { status: 204 };
  },
});

async function deleteOfTag(
  db: Db,
  owner: Owner,
  of: { agent_id: string; tag: string; name: string },
): Promise<boolean> {
  const user_id = await readAgentOwner(db, of.agent_id, owner);
  return user_id !== null && deleteTagged(db, { user_id, ...of });
}
