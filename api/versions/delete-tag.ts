import { notFound } from "../../shared/domain/errors/app-error.ts";
import { tagParams } from "../../shared/schemas/version.ts";
import { deleteTag as remove } from "../../shared/store/versions/change-version.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteTag = defineOperation({
  method: "delete",
  path: "/v1/versions/{agent_id}/tags/{tag}",
  name: "delete_tag",
  area: "Versions",
  scope: "agents:write",
  audit: "agent",
  summary: "Remove a tag",
  description: "Runs that name the tag are refused from then on. The version itself stays.",
  request: { params: tagParams },
  responses: { 204: { description: "The tag was removed; its version still exists" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id, tag }, caller }) {
    if (!(await remove(db, agent_id, tag, caller.owner))) throw notFound("tag", tag);
    return { status: 204 };
  },
});
