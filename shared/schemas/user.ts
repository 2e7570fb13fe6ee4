import { z } from "zod";
import { choice, clientId, laxInt, metadataObject, pageQuery, text, timestamp } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";
import { scopes } from "./scope.ts";

export const userParams = z.object({ user_id: text({ max: 512 }).meta({ example: "ada" }) });

/** The user `me` in open mode or for an admin; otherwise the key's owner. */
export const me = z.object({
  user_id: clientId()
    .optional()
    .meta({ description: "The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner." }),
});

const profile = {
  name: text({ min: 1, max: 256 }).nullish(),
  email: text({ max: 320, pattern: /^[^@\s]+@[^@\s]+$/ }).nullish(),
  metadata: metadataObject().nullish(),
};

export const userBody = z
  .object({ id: clientId().nullish().meta({ description: "Left out: the service makes an id." }), ...profile })
  .meta({ id: "UserBody", example: { id: "ada", name: "Ada", email: "ada@example.com" } });

export const userPatch = z.object(profile).meta({ id: "UserPatch", example: { name: "Ada L.", email: null } });
export type UserPatch = z.infer<typeof userPatch>;

export const userListQuery = pageQuery.extend({
  ...timeRange,
  search: text({ min: 1, max: 200 })
    .optional()
    .meta({ description: "Only users with this text in the id, name or email address." }),
});

export const userRecord = z
  .object({
    id: z.string(),
    object: z.literal("user"),
    name: z.string().nullable(),
    email: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "User",
    example: {
      id: "ada",
      object: "user",
      name: "Ada",
      email: "ada@example.com",
      metadata: {},
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type UserRecord = z.infer<typeof userRecord>;

export const apiKeyBody = z
  .object({
    user_id: clientId().nullish().meta({ description: "The key's owner. Only an admin may name another user." }),
    name: text({ max: 256 }).nullish(),
    scopes: z
      .array(choice(scopes))
      .min(1)
      .nullish()
      .meta({ description: "The key's scopes. Your own key must have them. Left out: `*`." }),
    run_id: clientId()
      .nullish()
      .meta({ description: "Makes a read token of this run: it can only read the run, and may be part of a URL." }),
    requests_per_minute: laxInt({ ge: 1, le: 1e9 }).nullish().meta({
      description: "A limit of this key's own, beside that of its user. At most that of the key of the request.",
    }),
    expires_at: timestamp().nullish().meta({
      description:
        "Left out: the key expires when the key of the request does, if that does; a run's read token expires in an hour at most.",
    }),
  })
  .meta({ id: "ApiKeyBody", example: { name: "laptop", scopes: ["runs:read", "runs:write"] } });

export const apiKeyRecord = z
  .object({
    id: z.string(),
    object: z.literal("api_key"),
    user_id: z.string(),
    name: z.string().nullable(),
    scopes: z.array(z.string()),
    run_id: z.string().nullable(),
    requests_per_minute: z.number().int().nullable(),
    created_at: z.string(),
    expires_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
  })
  .meta({
    id: "ApiKey",
    example: {
      id: "key_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "api_key",
      user_id: "ada",
      name: "laptop",
      scopes: ["runs:read", "runs:write"],
      run_id: null,
      requests_per_minute: null,
      created_at: "2026-11-21T10:00:00.000Z",
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    },
  });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

export const userUsage = z
  .object({
    user_id: z.string(),
    since: z.string(),
    until: z.string(),
    runs: z.number().int(),
    by_status: z.record(z.string(), z.number().int()),
    duration_ms: z.number(),
    cpu_ms: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z.number(),
  })
  .meta({
    id: "UserUsage",
    example: {
      user_id: "ada",
      since: "2026-10-22T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      runs: 120,
      by_status: { success: 114, error: 4, running: 2 },
      duration_ms: 100_800,
      cpu_ms: 9600,
      input_tokens: 48_000,
      output_tokens: 12_000,
      cost_usd: 0.42,
    },
  });
export type UserUsage = z.infer<typeof userUsage>;
