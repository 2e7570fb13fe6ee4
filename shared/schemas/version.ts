import { z } from "zod";
import { agentParams, configWarning, echoedConfig, publishing } from "./agent.ts";
import { buildState } from "./build.ts";
import { configObject } from "./agent-config.ts";
import { exampleOf } from "./example-of.ts";
import { choice, includeQuery, pageQuery, text, versionQuery } from "./primitives.ts";

const versionStatuses = ["active", "deprecated", "archived"] as const;

export const versionParams = agentParams.extend({ version: text({ max: 128 }).meta({ example: "1.1.0" }) });

export const versionListQuery = pageQuery.extend({
  after: versionQuery().optional().meta({ description: "The page starts after this version." }),
  status: choice(versionStatuses).optional().meta({ description: "Only things with this status." }),
  ...includeQuery(["config"]),
});

/** The body of POST /v1/versions/{agent_id}. */
export const versionBody = z.object({ ...publishing, config: configObject().nullish() }).meta({
  id: "VersionBody",
  example: { make_current: true, config: { source: "def main(input):\n    return {}\n" } },
});

export const versionPatch = z
  .object({
    status: choice(versionStatuses).optional().meta({ description: "An archived version takes no new runs." }),
  })
  .meta({ id: "VersionPatch", example: { status: "deprecated" } });

export const versionRecord = z
  .object({
    object: z.literal("agent_version"),
    agent_id: z.string(),
    version: z.string(),
    status: z.enum(versionStatuses),
    current: z.boolean(),
    state: buildState,
    tags: z.array(z.string()),
    config: z.record(z.string(), z.unknown()),
    created_at: z.string(),
  })
  .meta({
    id: "AgentVersion",
    example: {
      object: "agent_version",
      agent_id: "hello-agent",
      version: "1.1.0",
      status: "active",
      current: true,
      state: "ready" as const,
      tags: ["stable"],
      config: { source: "def main(input):\n    return {}\n" },
      created_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type VersionRecord = z.infer<typeof versionRecord>;

/** The answer to publishing. */
export const publishedVersion = versionRecord
  .extend({
    config: echoedConfig,
    warnings: z
      .array(configWarning)
      .meta({ description: "Keys of the config that the service doesn't read, and what has no effect." }),
  })
  .meta({ id: "PublishedVersion", example: { ...exampleOf(versionRecord), warnings: [] } });

const { config: _config, ...listed } = exampleOf(versionRecord);

/** A version in a list. */
export const versionListItem = versionRecord
  .partial({ config: true })
  .meta({ id: "AgentVersionListItem", example: listed });
export type VersionListItem = z.infer<typeof versionListItem>;

export const tagParams = agentParams.extend({ tag: text({ max: 128 }).meta({ example: "stable" }) });
export const tagBody = z
  .object({ version: text({ min: 1, max: 128 }) })
  .meta({ id: "TagBody", example: { version: "1.1.0" } });

const change = z.object({
  path: z.array(z.union([z.string(), z.number().int()])),
  op: z.enum(["added", "removed", "changed"]),
  before: z.unknown(),
  after: z.unknown(),
});
export type Change = z.infer<typeof change>;

const hasMore = z
  .boolean()
  .meta({ description: "True: there are more changes than the first 1,000, which are listed." });

export const versionDiff = z
  .object({ agent_id: z.string(), from: z.string(), to: z.string(), changes: z.array(change), has_more: hasMore })
  .meta({
    id: "VersionDiff",
    example: {
      agent_id: "hello-agent",
      from: "1.0.0",
      to: "1.1.0",
      changes: [{ path: ["limits", "timeout_ms"], op: "changed", before: 60_000, after: 120_000 }],
      has_more: false,
    },
  });
