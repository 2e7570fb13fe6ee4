import { versionParams, versionPatch, versionRecord } from "../../shared/schemas/version.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { changeStatus } from "./change-status.ts";

export const updateVersion = defineOperation({
  method: "patch",
  path: "/v1/versions/{agent_id}/{version}",
  name: "update_version",
  area: "Versions",
  scope: "agents:write",
  audit: { target: "agent", detail: (_input, { status }) => ({ status }) },
  summary: "Deprecate, archive or restore a version",
  description: "The config is immutable. An archived version takes no new runs. The current version can't be archived.",
  request: { params: versionParams, body: versionPatch },
  errors: ["version_is_current"],
  responses: { 200: { description: "The version", schema: versionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, body: { status }, caller: { owner } }) {
    return { status: 200, body: await changeStatus(db, { ...params, owner }, status) };
  },
});
