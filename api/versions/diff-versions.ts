import { z } from "zod";
import { diffJson } from "../../shared/domain/json/diff-json.ts";
import { versionQuery } from "../../shared/schemas/primitives.ts";
import { versionDiff, versionParams } from "../../shared/schemas/version.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findVersion } from "./find-version.ts";

export const diffVersions = defineOperation({
  method: "get",
  path: "/v1/versions/{agent_id}/{version}/diff",
  name: "diff_versions",
  area: "Versions",
  scope: "agents:read",
  summary: "The changes between the configs of two versions",
  description: "Use it before an upgrade, to see what would change.",
  request: {
    params: versionParams,
    query: z.object({
      against: versionQuery().default("current").meta({ description: "The version to start from." }),
    }),
  },
  errors: ["agent_not_found", "version_not_found"],
  responses: { 200: { description: "The changes, none when the configs are the same", schema: versionDiff } },
  async handle({ db }: Pick<ApiContext, "db">, { params, query, caller: { owner } }) {
    const { agent_id } = params;
    const to = await findVersion(db, params, owner);
    const from = await findVersion(db, { agent_id, version: query.against }, owner);
    const diff = diffJson(from.config, to.config);
    return { status: 200, body: { agent_id, from: from.version, to: to.version, ...diff } };
  },
});
