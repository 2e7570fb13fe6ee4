import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams } from "../../shared/schemas/agent.ts";
import { publishedVersion, versionBody } from "../../shared/schemas/version.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { publishConfig, publishErrors, withoutLongConfig } from "../../shared/services/versions/publish-config.ts";
import { readVersion } from "../../shared/store/versions/read-versions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const createVersion = defineOperation({
  method: "post",
  path: "/v1/versions/{agent_id}",
  name: "create_version",
  area: "Versions",
  scope: "agents:write",
  idempotent: true,
  audit: { target: "agent", detail: (_input, { version }) => ({ version }) },
  summary: "Publish a version of an agent",
  description:
    "A version left out is named by its content, so an iteration is one request, and the same content changes nothing (200). `current` is changed where `make_current` asks for it. A version that exists with another config is a 409. The body may also be the agent's folder, packed by tar and gzip (`Content-Type: application/gzip`): its files become `config.files`, and the query parameter `fields` has the other fields.",
  request: { params: agentParams, body: versionBody },
  takesFolder: true,
  errors: [...publishErrors],
  responses: {
    200: { description: "This version exists already", schema: publishedVersion },
    201: { description: "Published", schema: publishedVersion },
  },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "jsonSchemas" | "sources" | "streams">,
    { params: { agent_id: id }, body, caller },
  ) {
    const agent = await readAgent(ctx.db, id, caller.owner);
    if (!agent) throw notFound("agent", id);
    const { version = null, dev, make_current } = body;
    const asked = { version, dev, make_current, config: body.config ?? {} };
    const known = { id, user_id: agent.user_id, name: null, metadata: {}, most_agents: 0 };
    const { isNew, agent: published, warnings } = await publishConfig(ctx, { ...asked, ...known }, caller.owner);
    const record = await readVersion(ctx.db, id, published.version, caller.owner);
    if (!record) throw notFound("version", published.version);
    const answer = { ...withoutLongConfig(record), warnings };
    return isNew ? { status: 201, body: answer } : { status: 200, body: answer };
  },
});
