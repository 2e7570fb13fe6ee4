import { z } from "zod";
import { requestLimits } from "../domain/run/request-limits.ts";
import { configObject, envNamePattern, reservedEnv } from "./agent-config.ts";
import { field, Refused, refuse } from "./field.ts";
import { readText } from "./read-lax.ts";
import { exampleOf } from "./example-of.ts";
import { choice, clientId, includeQuery, metadataObject, laxBool, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

const versionNameRules = { max: 128, pattern: /^[A-Za-z0-9][A-Za-z0-9._+-]*$/ };

/** The name of a version, a tag, `current` or `latest`. */
export const versionName = () => text(versionNameRules);

const aliases = ["current", "latest"];

/** The name of a new version or tag. What `current` and `latest` mean is the service's. */
export const newVersionName = () =>
  field(
    (value) => {
      const name = readText(value, versionNameRules);
      if (name instanceof Refused || !aliases.includes(name)) return name;
      return refuse("value_error", `Value error, '${name}' is reserved`);
    },
    { type: "string", maxLength: versionNameRules.max, pattern: versionNameRules.pattern.source },
  );

/** Any text is accepted as an agent id. A text that can't be an id is a 404, not a 422. */
export const agentParams = z.object({ agent_id: text({ max: 512 }).meta({ example: "hello-agent" }) });

/** What a publisher may ask of a version. */
export const publishing = {
  version: newVersionName().optional().meta({
    description:
      "Left out: `1.0.0` for a new agent. Another version is named by its content: the highest release, `+`, and 8 digits of the content's SHA-256. The same content is the same version.",
  }),
  dev: laxBool().default(false).meta({
    description:
      "True: a version left out is a development version, `0.0.0-dev.` and 8 digits. `latest` and a rollback pass it over.",
  }),
  make_current: laxBool()
    .default(false)
    .meta({ description: "True: also make the version the current one, as `POST /v1/upgrade` does." }),
};

/** The body of POST /v1/agents. */
export const agentBody = z
  .object({
    user_id: clientId().meta({ description: "The owner." }),
    name: text({ min: 1, max: 256 }),
    id: clientId().nullish().meta({ description: "Left out: the service makes an id." }),
    ...publishing,
    config: configObject().nullish().meta({
      description:
        "The service reads the keys that are listed here. Any other key is the author's own: it is kept, and named in `warnings` of the answer.",
    }),
    metadata: metadataObject().nullish(),
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
    version: z.string().meta({ description: "The version that is shown here." }),
    current_version: z.string(),
    status: z.enum(["active", "paused", "archived"]),
    config: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Agent",
    example: {
      id: "hello-agent",
      object: "agent",
      user_id: "ada",
      name: "hello-agent",
      version: "1.0.0",
      current_version: "1.0.0",
      status: "active",
      config: { source: "def main(input):\n    yield 'Hello, '\n    yield input.get('name', 'you')\n" },
      metadata: { team: "a" },
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type AgentRecord = z.infer<typeof agentRecord>;

/** What the author of a config should know. */
export const configWarning = z.object({ code: z.string(), message: z.string() });
const warnings = z
  .array(configWarning)
  .meta({ description: "Keys of the config that the service doesn't read, and what has no effect." });

/** A config in an answer to publishing, where it has at most `echoedConfigLength` characters of JSON. */
export const echoedConfigLength = 16 * 1024;
export const echoedConfig = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: "Left out when it has more than 16 KiB." });

/** The answer to publishing. */
export const publishedAgent = agentRecord
  .extend({ config: echoedConfig, warnings })
  .meta({ id: "PublishedAgent", example: { ...exampleOf(agentRecord), warnings: [] } });

const { config: _config, ...listed } = exampleOf(agentRecord);

/** An agent in a list. A config may hold all of an agent's code. */
export const agentListItem = agentRecord.partial({ config: true }).meta({ id: "AgentListItem", example: listed });
export type AgentListItem = z.infer<typeof agentListItem>;

const agentStatuses = ["active", "paused", "archived"] as const;

export const agentListQuery = pageQuery.extend({
  status: choice(agentStatuses).optional().meta({ description: "Only things with this status." }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  ...timeRange,
  search: text({ min: 1, max: 200 })
    .optional()
    .meta({ description: "Only things with this text in the id or the name." }),
  ...includeQuery(["config"]),
});

/** The body of PATCH /v1/agents/{agent_id}. The config belongs to a version, and versions are immutable. */
export const agentPatch = z
  .object({
    name: text({ min: 1, max: 256 }).optional(),
    metadata: metadataObject()
      .nullish()
      .meta({ description: "Merged into the existing metadata. Null removes a key, or all metadata." }),
  })
  .meta({ id: "AgentPatch", example: { name: "new name", metadata: { team: "a", old_key: null } } });

export const pauseBody = z
  .object({
    cancel_runs: laxBool()
      .default(false)
      .meta({ description: "True: also cancel the agent's runs that have not ended." }),
  })
  .default({ cancel_runs: false })
  .meta({ example: { cancel_runs: true } });

export const secretParams = agentParams.extend({ name: text({ max: 128 }).meta({ example: "OPENAI_API_KEY" }) });

/** Returns why a secret can't have this name, which becomes the name of an environment variable. Null: it can. */
export function secretNameFault(name: string): string | null {
  if (!envNamePattern.test(name)) return "the name must match ^[A-Za-z_][A-Za-z0-9_]*$";
  return reservedEnv.test(name) ? "this name is reserved" : null;
}

export const secretBody = z
  .object({ value: text({ min: 1, max: requestLimits.env_value_bytes }) })
  .meta({ id: "SecretBody", example: { value: "sk-…" } });

/** For which versions a secret is. */
export const secretTag = {
  tag: text({ min: 1, max: 128 }).optional().meta({
    description:
      "For versions that this tag names, which get it rather than the secret without a tag. Other versions never get it.",
  }),
};

export const secretRecord = z
  .object({ name: z.string(), tag: z.string().nullable(), created_at: z.string(), updated_at: z.string() })
  .meta({
    id: "AgentSecret",
    example: {
      name: "OPENAI_API_KEY",
      tag: null,
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type SecretRecord = z.infer<typeof secretRecord>;

export const secretList = z
  .object({ data: z.array(secretRecord) })
  .meta({ id: "AgentSecrets", example: { data: [exampleOf(secretRecord)] } });

/** A secret of all of an owner's agents. */
export const ownedSecretParams = z.object({ name: secretParams.shape.name });
export const ownedSecretQuery = z.object({
  user_id: clientId().optional().meta({ description: "Whose secret. Left out: the caller's." }),
  ...secretTag,
});

const ms = z.number().nullable();

export const agentStats = z
  .object({
    agent_id: z.string(),
    since: z.string(),
    until: z.string(),
    runs: z.number().int(),
    by_status: z.record(z.string(), z.number().int()),
    success_rate: z
      .number()
      .nullable()
      .meta({ description: "The share of successful runs among the ended runs. Null: no run has ended." }),
    duration_ms: z.object({ p50: ms, p95: ms, p99: ms }),
    queue_ms: z.object({ p50: ms, p95: ms, p99: ms }),
    cpu_ms: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    last_run_at: z.string().nullable(),
  })
  .meta({
    id: "AgentStats",
    example: {
      agent_id: "hello-agent",
      since: "2026-10-22T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      runs: 120,
      by_status: { success: 114, error: 4, running: 2 },
      success_rate: 0.966,
      duration_ms: { p50: 840, p95: 2100, p99: 3900 },
      queue_ms: { p50: 6, p95: 40, p99: 95 },
      cpu_ms: 9600,
      input_tokens: 48000,
      output_tokens: 12000,
      last_run_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type AgentStats = z.infer<typeof agentStats>;
