import { configWarnings } from "../../shared/domain/agent/config-warnings.ts";
import { configKeys } from "../../shared/schemas/agent-config.ts";
import { checkAgentConfig } from "../../shared/services/runs/check-agent-config.ts";
import { conflict } from "../../shared/domain/errors/app-error.ts";
import { newId } from "../../shared/platform/ids.ts";
import { agentBody, publishedAgent } from "../../shared/schemas/agent.ts";
import { publishVersion } from "../../shared/store/agents/publish-version.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const createAgent = defineOperation({
  method: "post",
  path: "/v1/agents",
  name: "create_agent",
  area: "Agents",
  scope: "agents:write",
  idempotent: true,
  audit: { target: "agent", detail: (_input, { version }) => ({ version }) },
  ignores: "unknown_fields",
  summary: "Create an agent, or publish a version of it",
  description:
    "If the agent exists and belongs to the same owner, a new version is published. An existing version with the same config changes nothing (200). With another config it is refused (409), because versions are immutable.",
  request: { body: agentBody },
  errors: ["foreign_user_id", "agent_id_taken", "version_exists", "version_name_taken", "too_many_agents"],
  responses: {
    200: { description: "This version exists already", schema: publishedAgent },
    201: { description: "The agent was created, or the version published", schema: publishedAgent },
  },
  async handle(
    { db, jsonSchemas, config: limits }: Pick<ApiContext, "config" | "db" | "jsonSchemas">,
    { body, caller },
  ) {
    const config = body.config ?? {};
    const user_id = ownerOf(caller, body.user_id);
    await checkAgentConfig(jsonSchemas, user_id, config);
    const id = body.id ?? newId("agent");
    const { name, version } = body;
    const metadata = body.metadata ?? {};
    const most_agents = limits.perUser.agents;
    const published = await publishVersion(db, { id, user_id, name, version, config, metadata, most_agents });
    if (published.kind === "full")
      throw conflict("too_many_agents", `The user '${user_id}' has as many agents as allowed. Delete one first.`);
    if (published.kind === "foreign" || published.kind === "missing")
      throw conflict("agent_id_taken", `The agent id '${id}' belongs to another user. Choose another id.`);
    if (published.kind === "is_tag")
      throw conflict("version_name_taken", `A tag of the agent is named '${version}'. Choose another version.`);
    if (published.kind === "differs")
      throw conflict(
        "version_exists",
        `Version '${version}' exists with another config, and versions are immutable. Publish the config under a new version.`,
      );
    const { kind, agent } = published;
    const answer = { ...agent, warnings: configWarnings(config, configKeys) };
    return kind === "published" ? { status: 201, body: answer } : { status: 200, body: answer };
  },
});
