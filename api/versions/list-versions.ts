import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams } from "../../shared/schemas/agent.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { versionListQuery, versionListItem } from "../../shared/schemas/version.ts";
import { listVersions as readPage } from "../../shared/store/versions/read-versions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listVersions = defineOperation({
  method: "get",
  path: "/v1/versions/{agent_id}",
  name: "list_versions",
  area: "Versions",
  scope: "agents:read",
  summary: "An agent's versions, newest first",
  description: "Use it to see what can be run, and what a rollback could go back to.",
  request: { params: agentParams, query: versionListQuery },
  responses: { 200: { description: "A page of versions", schema: pageOf(versionListItem, "version") } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id }, query, caller: { owner } }) {
    const { status, include, ...page } = query;
    const shown = { status, with_config: include.includes("config") };
    const body = await readPage(db, { agent_id, owner }, shown, page);
    if (!body) throw notFound("agent", agent_id);
    return { status: 200, body };
  },
});
