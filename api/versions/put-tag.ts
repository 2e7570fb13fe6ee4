import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { newVersionName } from "../../shared/schemas/agent.ts";
import { tagBody, tagParams, versionRecord } from "../../shared/schemas/version.ts";
import { putTag as put } from "../../shared/store/versions/change-version.ts";
import { readVersion } from "../../shared/store/versions/read-versions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const putTag = defineOperation({
  method: "put",
  path: "/v1/versions/{agent_id}/tags/{tag}",
  name: "put_tag",
  area: "Versions",
  scope: "agents:write",
  audit: { target: "agent", detail: ({ body: { version } }) => ({ version }) },
  summary: "Point a tag at a version",
  description:
    "Use a tag such as `stable` as the version of execute requests and jobs, and move the tag instead of changing them.",
  request: { params: tagParams.extend({ tag: newVersionName().meta({ example: "stable" }) }), body: tagBody },
  errors: ["version_not_found", "version_name_taken"],
  responses: { 200: { description: "The version that the tag names now", schema: versionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { agent_id, tag }, body: { version }, caller: { owner } }) {
    const done = await put(db, { agent_id, version, owner }, tag);
    if (done === "missing") throw notFound("version", version);
    if (done === "taken")
      throw conflict("version_name_taken", `A version is named '${tag}'. Choose another name for the tag.`);
    const body = await readVersion(db, agent_id, version, owner);
    if (!body) throw notFound("version", version);
    return { status: 200, body };
  },
});
