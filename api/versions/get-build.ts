import { notFound } from "../../shared/domain/errors/app-error.ts";
import { buildRecord } from "../../shared/schemas/build.ts";
import { versionParams } from "../../shared/schemas/version.ts";
import { readBuild } from "../../shared/store/builds/read-build.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findVersion } from "./find-version.ts";

export const getBuild = defineOperation({
  method: "get",
  path: "/v1/versions/{agent_id}/{version}/build",
  name: "get_build",
  area: "Versions",
  scope: "agents:read",
  summary: "What is made of a version before its first run",
  description: "Use it to read the log of a build, why it failed, and which packages were locked.",
  request: { params: versionParams },
  errors: ["agent_not_found", "version_not_found", "build_not_found"],
  responses: { 200: { description: "The build", schema: buildRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller }) {
    const { agent_id, version } = await findVersion(db, params, caller.owner);
    const build = await readBuild(db, agent_id, version);
    if (!build) throw notFound("build", version);
    return { status: 200, body: build };
  },
});
