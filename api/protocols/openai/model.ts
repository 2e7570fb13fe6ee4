import { z } from "zod";

export const model = z
  .object({ id: z.string(), object: z.literal("model"), created: z.number().int(), owned_by: z.string() })
  .meta({ id: "OpenAiModel" });

/** Returns an agent as OpenAI shows a model. */
export const toModel = (id: string, user_id: string, created_at: Date): z.infer<typeof model> => ({
  id,
  object: "model",
  created: Math.floor(created_at.getTime() / 1000),
  owned_by: user_id,
});
