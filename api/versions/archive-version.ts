import { versionParams, versionRecord } from "../../shared/schemas/version.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { changeStatus } from "./change-status.ts";

export const archiveVersion = defineOperation({
  method: "delete",
  path: "/v1/versions/{agent_id}/{version}",
  name: "archive_version",
  area: "Versions",
  scope: "agents:write",
  audit: "agent",
  summary: "Archive a version",
  description:
    "An archived version takes no new runs and can be restored. It is not deleted, because runs are pinned to it and its name must not stand for another config.",
  request: { params: versionParams },
  errors: ["version_is_current"],
  responses: { 200: { description: "The version", schema: versionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller: { owner } }) {
    return { status: 200, body: await changeStatus(db, { ...params, owner }, "archived") };
  },
});
