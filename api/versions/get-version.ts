import { versionParams, versionRecord } from "../../shared/schemas/version.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findVersion } from "./find-version.ts";

export const getVersion = defineOperation({
  method: "get",
  path: "/v1/versions/{agent_id}/{version}",
  name: "get_version",
  area: "Versions",
  scope: "agents:read",
  summary: "A version by its name, a tag, `current` or `latest`",
  description: "Use it to read a version's config, or to learn which version a tag names.",
  request: { params: versionParams },
  errors: ["agent_not_found", "version_not_found"],
  responses: { 200: { description: "The version", schema: versionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller }) {
    return { status: 200, body: await findVersion(db, params, caller.owner) };
  },
});
