import { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { secretBody, secretParams, secretRecord, secretTag } from "../../shared/schemas/agent.ts";
import { readAgentOwner } from "../../shared/store/agents/read-agent-owner.ts";
import { putSecret } from "../../shared/store/agents/secrets.ts";
import { putSecret as putTagged } from "../../shared/store/secrets/change-secret.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { refuseSecretName } from "../http/refuse-secret-name.ts";

export const putAgentSecret = defineOperation({
  method: "put",
  path: "/v1/agents/{agent_id}/secrets/{name}",
  name: "put_agent_secret",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Set a secret of an agent",
  description:
    "The value is stored encrypted. Runs get it as an environment variable when their version's config lists the name in `secrets`. A value of 6 characters or more is redacted from their output.",
  request: { params: secretParams, query: z.object(secretTag), body: secretBody },
  errors: ["agent_not_found", "too_many_secrets"],
  responses: { 200: { description: "The secret was set", schema: secretRecord } },
  async handle(
    { db, config }: Pick<ApiContext, "config" | "db">,
    { params: { agent_id, name }, query: { tag }, body: { value }, caller },
  ) {
    refuseSecretName(name);
    const keys = config.encryptionKeys;
    if (tag === undefined) {
      const body = await putSecret(db, keys, caller.owner, { agent_id, name, value });
      if (!body) throw notFound("agent", agent_id);
      return { status: 200, body };
    }
    const user_id = await readAgentOwner(db, agent_id, caller.owner);
    if (user_id === null) throw notFound("agent", agent_id);
    const place = { user_id, agent_id, tag, name };
    const body = await putTagged(db, keys, { place, value, most: config.perUser.secrets });
    if (!body) throw conflict("too_many_secrets", userHasMost("secrets", config.perUser, user_id));
    return { status: 200, body };
  },
});
