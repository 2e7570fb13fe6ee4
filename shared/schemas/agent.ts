import { z } from "zod";
import { clientId, jsonObject, text } from "./primitives.ts";

/** The body of POST /v1/agents. */
export const agentBody = z
  .object({
    user_id: clientId().meta({ description: "The owner." }),
    name: text({ min: 1, max: 256 }),
    id: clientId().nullish().meta({ description: "Made when left out." }),
    version: text({ max: 128, pattern: /^[A-Za-z0-9][A-Za-z0-9._+-]*$/ }).default("1.0.0"),
    config: jsonObject()
      .nullish()
      .meta({ description: "Free-form; entrypoint, source, files, env, limits … mean something." }),
    metadata: jsonObject().nullish(),
  })
  .meta({
    id: "AgentBody",
    example: {
      user_id: "ada",
      name: "hello-agent",
      id: "hello-agent",
      config: { source: "def main(input):\n    yield 'Hello, '\n    yield input.get('name', 'you')\n" },
    },
  });

export const agentRecord = z
  .object({
    id: z.string(),
    object: z.literal("agent"),
    user_id: z.string(),
    name: z.string(),
    version: z.string().meta({ description: "The version that this answer is about." }),
    current_version: z.string(),
    status: z.enum(["active", "paused", "archived"]),
    config: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Agent" });
export type AgentRecord = z.infer<typeof agentRecord>;
