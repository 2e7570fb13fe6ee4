import { conflict } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { ownedSecretParams, ownedSecretQuery, secretBody, secretRecord } from "../../shared/schemas/agent.ts";
import { putSecret as put } from "../../shared/store/secrets/change-secret.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { refuseSecretName } from "../http/refuse-secret-name.ts";

export const putOwnedSecret = defineOperation({
  method: "put",
  path: "/v1/secrets/{name}",
  name: "put_secret",
  area: "Secrets",
  scope: "agents:write",
  audit: { target: "secret", detail: (_input, { tag }) => ({ tag }) },
  summary: "Set a secret of all of your agents",
  description:
    "The value is stored encrypted. Runs get it as an environment variable when their version's config lists the name in `secrets`, unless their agent has a secret of that name.",
  request: { params: ownedSecretParams, query: ownedSecretQuery, body: secretBody },
  errors: ["foreign_user_id", "too_many_secrets"],
  responses: { 200: { description: "The secret was set", schema: secretRecord } },
  async handle(
    { db, config }: Pick<ApiContext, "config" | "db">,
    { params: { name }, query, body: { value }, caller },
  ) {
    refuseSecretName(name);
    const { user_id, tag = null } = query;
    const place = { user_id: ownerOf(caller, user_id), agent_id: null, tag, name };
    const body = await put(db, config.encryptionKeys, { place, value, most: config.perUser.secrets });
    if (!body) throw conflict("too_many_secrets", userHasMost("secrets", config.perUser, place.user_id));
    return { status: 200, body };
  },
});
