import { newId } from "../../shared/platform/ids.ts";
import { agentBody, publishedAgent } from "../../shared/schemas/agent.ts";
import { publishConfig, publishErrors, withoutLongConfig } from "../../shared/services/versions/publish-config.ts";
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
    "If the agent exists and belongs to the same owner, a new version is published. A version left out is named by its content, and the same content changes nothing (200). A version that exists with another config is refused (409), because versions are immutable. The body may also be the agent's folder, packed by tar and gzip, as for `POST /v1/versions/{agent_id}`.",
  request: { body: agentBody },
  takesFolder: true,
  errors: ["foreign_user_id", "user_not_found", "agent_id_taken", "too_many_agents", ...publishErrors],
  responses: {
    200: { description: "This version exists already", schema: publishedAgent },
    201: { description: "The agent was created, or the version published", schema: publishedAgent },
  },
  async handle(ctx: Pick<ApiContext, "config" | "db" | "jsonSchemas" | "sources" | "streams">, { body, caller }) {
    const user_id = ownerOf(caller, body.user_id);
    const { name, version = null, dev, make_current } = body;
    const asked = { name, version, dev, make_current, config: body.config ?? {}, metadata: body.metadata ?? {} };
    const agent = { id: body.id ?? newId("agent"), user_id, most_agents: ctx.config.perUser.agents };
    const { isNew, agent: record, warnings } = await publishConfig(ctx, { ...asked, ...agent }, caller.owner);
    const answer = { ...withoutLongConfig(record), warnings };
    return isNew ? { status: 201, body: answer } : { status: 200, body: answer };
  },
});
