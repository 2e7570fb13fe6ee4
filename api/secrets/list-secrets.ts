import { ownedSecretQuery, secretList } from "../../shared/schemas/agent.ts";
import { listOwnerSecrets } from "../../shared/store/secrets/list-secrets.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listOwnedSecrets = defineOperation({
  method: "get",
  path: "/v1/secrets",
  name: "list_secrets",
  area: "Secrets",
  scope: "agents:read",
  summary: "The names of the secrets of all of your agents",
  description: "The values are never returned.",
  request: { query: ownedSecretQuery.pick({ user_id: true }) },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The names", schema: secretList } },
  async handle({ db }: Pick<ApiContext, "db">, { query: { user_id }, caller }) {
    return { status: 200, body: { data: await listOwnerSecrets(db, ownerOf(caller, user_id)) } };
  },
});
