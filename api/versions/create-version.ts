import { configWarnings } from "../../shared/domain/agent/config-warnings.ts";
import { configKeys } from "../../shared/schemas/agent-config.ts";
import { checkAgentConfig } from "../../shared/services/runs/check-agent-config.ts";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams } from "../../shared/schemas/agent.ts";
import { publishedVersion, versionBody } from "../../shared/schemas/version.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { publishVersion } from "../../shared/store/agents/publish-version.ts";
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
    "`current` is not changed; an upgrade changes it. An existing version with the same config changes nothing (200); with another config it is a 409.",
  request: { params: agentParams, body: versionBody },
  errors: ["version_exists", "version_name_taken"],
  responses: {
    200: { description: "This version exists already", schema: publishedVersion },
    201: { description: "Published", schema: publishedVersion },
  },
  async handle(
    { db, jsonSchemas }: Pick<ApiContext, "db" | "jsonSchemas">,
    { params: { agent_id: id }, body: { version, config: given }, caller },
  ) {
    const config = given ?? {};
    const agent = await readAgent(db, id, caller.owner);
    if (!agent) throw notFound("agent", id);
    const { user_id } = agent;
    await checkAgentConfig(jsonSchemas, user_id, config);
    const published = { id, user_id, name: null, version, config, metadata: {}, most_agents: 0 };
    const { kind } = await publishVersion(db, published);
    if (kind === "missing" || kind === "foreign" || kind === "full") throw notFound("agent", id);
    if (kind === "is_tag")
      throw conflict("version_name_taken", `A tag of the agent is named '${version}'. Choose another version.`);
    if (kind === "differs")
      throw conflict(
        "version_exists",
        `Version '${version}' exists with another config, and versions are immutable. Publish the config under a new version.`,
      );
    const record = await readVersion(db, id, version, caller.owner);
    if (!record) throw notFound("version", version);
    const body = { ...record, warnings: configWarnings(config, configKeys) };
    return kind === "published" ? { status: 201, body } : { status: 200, body };
  },
});
