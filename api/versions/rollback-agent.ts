import { rollback, upgraded } from "../../shared/schemas/upgrade.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { setCurrentVersion } from "../../shared/services/versions/set-current-version.ts";

export const rollbackAgent = defineOperation({
  method: "post",
  path: "/v1/rollback",
  name: "rollback_agent",
  area: "Versions",
  scope: "agents:write",
  audit: {
    target: "agent",
    detail: (_input, { previous_version, version, changed, created }) => ({
      previous_version,
      version,
      changed,
      created,
    }),
  },
  summary: "Go back to an earlier version",
  description:
    "Makes the version that was published before the current one current, or the one that `version` names. 404 when there is none.",
  request: { body: rollback },
  errors: ["agent_not_found", "version_archived", "version_not_found"],
  responses: { 200: { description: "The version that is current now", schema: upgraded } },
  async handle(ctx: Pick<ApiContext, "db" | "streams">, { body, caller }) {
    const { agent_id, version = null } = body;
    return { status: 200, body: await setCurrentVersion(ctx, { agent_id, version, publish: false }, caller.owner) };
  },
});
