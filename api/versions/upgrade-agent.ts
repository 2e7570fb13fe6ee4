import { z } from "zod";
import { laxBool } from "../../shared/schemas/primitives.ts";
import { upgrade, upgraded } from "../../shared/schemas/upgrade.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { setCurrentVersion } from "../../shared/services/versions/set-current-version.ts";

export const upgradeAgent = defineOperation({
  method: "post",
  path: "/v1/upgrade",
  name: "upgrade_agent",
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
  ignores: "unknown_fields",
  summary: "Make a version the current one",
  description:
    "`version` is an exact version, a tag, `current` or `latest`. An unpublished version is published as a copy of the current one, unless `?strict=true`. Existing runs keep their version. A running daemon is replaced when it has finished its message, or after 10 s (`grace_ms` of its last command); the new process then handles the message again. The new process is watched for 30 s and rolled back when it crashes or makes no progress.",
  request: {
    query: z.object({
      strict: laxBool().default(false).meta({ description: "True: an unpublished version is a 404." }),
    }),
    body: upgrade,
  },
  errors: ["agent_not_found", "version_archived", "version_not_found"],
  responses: { 200: { description: "The version that is current now", schema: upgraded } },
  async handle(ctx: Pick<ApiContext, "db" | "streams">, { query, body, caller }) {
    return { status: 200, body: await setCurrentVersion(ctx, { ...body, publish: !query.strict }, caller.owner) };
  },
});
