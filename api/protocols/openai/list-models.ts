import { z } from "zod";
import { listAgentNames } from "../../../shared/store/agents/list-agent-names.ts";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { model, toModel } from "./model.ts";

export const listModels = defineOperation({
  method: "get",
  path: "/openai/v1/models",
  name: "openai_list_models",
  area: "OpenAI",
  scope: "agents:read",
  ignores: "unknown_input",
  summary: "The agents that can be talked to, as models",
  responses: {
    200: {
      description: "All models",
      schema: z.object({ object: z.literal("list"), data: z.array(model), has_more: z.literal(false) }),
    },
  },
  async handle({ db }: Pick<ApiContext, "db">, { caller }) {
    const names = await listAgentNames(db, caller.owner);
    const data = names.map(({ name, user_id, created_at }) => toModel(name, user_id, created_at));
    return { status: 200, body: { object: "list" as const, data, has_more: false as const } };
  },
});
