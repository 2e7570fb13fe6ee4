import { notFound } from "../../shared/domain/errors/app-error.ts";
import { ownedSecretParams, ownedSecretQuery } from "../../shared/schemas/agent.ts";
import { deleteSecret as remove } from "../../shared/store/secrets/change-secret.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteOwnedSecret = defineOperation({
  method: "delete",
  path: "/v1/secrets/{name}",
  name: "delete_secret",
  area: "Secrets",
  scope: "agents:write",
  audit: "secret",
  summary: "Remove a secret of all of your agents",
  description: "Later runs no longer get the variable. A running run keeps it until its end.",
  request: { params: ownedSecretParams, query: ownedSecretQuery },
  errors: ["foreign_user_id", "secret_not_found"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { name }, query: { user_id, tag = null }, caller }) {
    const place = { user_id: ownerOf(caller, user_id), agent_id: null, tag, name };
    if (!(await remove(db, place))) throw notFound("secret", name);
    return { status: 204 };
  },
});
