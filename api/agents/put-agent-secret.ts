import { notFound } from "../../shared/domain/errors/app-error.ts";
import { secretBody, secretNameFault, secretParams, secretRecord } from "../../shared/schemas/agent.ts";
import { putSecret } from "../../shared/store/agents/secrets.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const putAgentSecret = defineOperation({
  method: "put",
  path: "/v1/agents/{agent_id}/secrets/{name}",
  name: "put_agent_secret",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Set a secret of an agent",
  description:
    "The value is stored encrypted. Runs get it as an environment variable when their version's config lists the name in `secrets`. It is redacted from their output.",
  request: { params: secretParams, body: secretBody },
  errors: ["agent_not_found"],
  responses: { 200: { description: "The secret was set", schema: secretRecord } },
  async handle(
    { db, config }: Pick<ApiContext, "config" | "db">,
    { params: { agent_id, name }, body: { value }, caller },
  ) {
    const fault = secretNameFault(name);
    if (fault)
      throw new ValidationFault([{ type: "value_error", loc: ["path", "name"], msg: `Value error, ${fault}` }]);
    const body = await putSecret(db, config.encryptionKeys, caller.owner, { agent_id, name, value });
    if (!body) throw notFound("agent", agent_id);
    return { status: 200, body };
  },
});
