import { z } from "zod";
import { connectionKinds, connectionName, connectionPresets } from "../domain/connection/presets.ts";
import { choice, clientId, httpUrl, laxInt, pageQuery, text } from "./primitives.ts";

/** Any text is accepted as a name in a path. A text that can't be a name is a 404. */
export const connectionParams = z.object({
  connection_id: text({ max: 512 }).meta({ example: "openai", description: "The name." }),
});

/** Whose connection a name means. */
export const connectionOwner = z.object({
  user_id: clientId().optional().meta({ description: "Whose connection. Left out: the caller's." }),
  agent_id: clientId()
    .optional()
    .meta({ description: "The connection of this agent alone, which it uses rather than its owner's of that name." }),
});

export const newConnectionParams = z.object({
  connection_id: text({ max: 63, pattern: connectionName }).meta({ example: "openai", description: "The name." }),
});

const perMinute = () => laxInt({ ge: 1, le: 1_000_000_000 }).nullish();

/** The body of PUT /v1/connections/{connection_id}. */
export const connectionBody = z
  .object({
    preset: choice(connectionPresets).nullish().meta({
      description:
        "The service. It gives the address, how the key is sent, and the variables that the service's libraries read. `azure` and `openai_compatible` need `base_url`. Left out: any other service, by `base_url` and `kind`.",
    }),
    base_url: httpUrl().nullish().meta({ description: "The service's address, where the preset's isn't meant." }),
    kind: choice(connectionKinds).nullish().meta({
      description:
        "How the secret is sent: `bearer` token, in the `header` that is named, or as `username`'s password (`basic`).",
    }),
    header: text({ min: 1, max: 100, pattern: /^[A-Za-z0-9-]+$/ })
      .nullish()
      .meta({ description: "For the kind `header`: the header's name." }),
    username: text({ min: 1, max: 256, pattern: /^[^:\p{Cc}]+$/u })
      .nullish()
      .meta({ description: "For the kind `basic`." }),
    secret: text({ min: 8, max: 8192, pattern: /^[\x21-\x7e]+$/ }).meta({
      description: "The key or password: visible ASCII without blanks. It is stored encrypted and never returned.",
    }),
    requests_per_minute: perMinute().meta({ description: "More calls wait. Counted by each worker's gateway." }),
    tokens_per_minute: perMinute().meta({ description: "The same for input and output tokens." }),
  })
  .meta({ id: "ConnectionBody", example: { preset: "openai", secret: "sk-made-up-for-this-example" } });

export const connectionListQuery = pageQuery.extend({
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
});

export const connectionRecord = z
  .object({
    id: z.string(),
    object: z.literal("connection"),
    user_id: z.string(),
    agent_id: z.string().nullable(),
    name: z.string(),
    preset: z.enum(connectionPresets).nullable(),
    base_url: z.string(),
    kind: z.enum(connectionKinds),
    header: z.string().nullable(),
    username: z.string().nullable(),
    requests_per_minute: z.number().int().nullable(),
    tokens_per_minute: z.number().int().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Connection",
    example: {
      id: "conn_5f1c0c9e2b7a4d3e8f60a1b2c3d4e5f6",
      object: "connection",
      user_id: "ada",
      agent_id: null,
      name: "openai",
      preset: "openai",
      base_url: "https://api.openai.com/v1",
      kind: "bearer",
      header: null,
      username: null,
      requests_per_minute: null,
      tokens_per_minute: null,
      created_at: "2026-11-23T10:00:00.000Z",
      updated_at: "2026-11-23T10:00:00.000Z",
    },
  });
export type ConnectionRecord = z.infer<typeof connectionRecord>;
