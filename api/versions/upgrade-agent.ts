import { z } from "zod";
import { laxBool } from "../../shared/schemas/primitives.ts";
import { upgrade, upgraded } from "../../shared/schemas/upgrade.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { moveCurrentVersion } from "./move-current-version.ts";

export const upgradeAgent = defineOperation({
  method: "post",
  path: "/v1/upgrade",
  name: "upgrade_agent",
  area: "Versions",
  scope: "agents:write",
  summary: "Make a version the current one",
  description:
    "A version that isn't published yet is published as a copy of the current one, unless `?strict=true`. Runs in flight stay on theirs. A running daemon finishes the message at hand, is replaced, watched for 30 s, and goes back by itself when it crashes or makes no progress.",
  request: {
    query: z.object({
      strict: laxBool().default(false).meta({ description: "True: a version that isn't published is a 404." }),
    }),
    body: upgrade,
  },
  errors: ["agent_not_found", "version_not_found"],
  responses: { 200: { description: "What is current now", schema: upgraded } },
  async handle(ctx: ApiContext, { query, body, caller }) {
    return { status: 200, body: await moveCurrentVersion(ctx, { ...body, publish: !query.strict }, caller.owner) };
  },
});
