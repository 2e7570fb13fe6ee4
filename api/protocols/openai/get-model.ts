import { z } from "zod";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { text } from "../../../shared/schemas/primitives.ts";
import { readAgent } from "../../../shared/store/agents/list-agents.ts";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { chooseAgent } from "../choose-agent.ts";
import { model, toModel } from "./model.ts";

export const getModel = defineOperation({
  method: "get",
  path: "/openai/v1/models/{model}",
  name: "openai_get_model",
  area: "OpenAI",
  scope: "agents:read",
  ignores: "unknown_input",
  summary: "An agent as a model",
  request: { params: z.object({ model: text({ max: 512 }) }) },
  errors: ["agent_not_found", "version_not_found"],
  responses: { 200: { description: "The model", schema: model } },
  async handle(ctx: Pick<ApiContext, "db" | "versions">, { params, caller }) {
    const { agent_id, version } = await chooseAgent(ctx, params.model, caller.owner);
    const agent = await readAgent(ctx.db, agent_id, caller.owner);
    if (!agent) throw notFound("agent", params.model);
    const found = await ctx.versions.resolve(agent_id, version, caller.owner);
    if ("missing" in found) throw notFound("version", version);
    return { status: 200, body: toModel(params.model, agent.user_id, new Date(agent.created_at)) };
  },
});
