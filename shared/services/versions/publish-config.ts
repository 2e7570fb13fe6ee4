import { configWarnings, type ConfigWarning } from "../../domain/agent/config-warnings.ts";
import { builderOf } from "../../domain/agent/builder-of.ts";
import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { userHasMost } from "../../domain/errors/user-has-most.ts";
import type { Config } from "../../platform/config/load-config.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import { type AgentRecord, echoedConfigLength } from "../../schemas/agent.ts";
import { configKeys, readConfig } from "../../schemas/agent-config.ts";
import { type NewVersion, publishVersion } from "../../store/agents/publish-version.ts";
import type { Db } from "../../store/client.ts";
import type { Owner } from "../../store/owned-by.ts";
import { type CheckDeps, checkConfig } from "./check-config.ts";
import { setCurrentVersion } from "./set-current-version.ts";

/** The codes that `publishConfig` throws. */
export const publishErrors = ["version_archived", "version_exists", "version_name_taken"] as const;

type Deps = CheckDeps & {
  db: Db;
  streams: Pick<RunStreams, "signalDaemons" | "signalBuilds">;
  config: Pick<Config, "perUser">;
};
type PublishRequest = Omit<NewVersion, "builder"> & { make_current: boolean };
type PublishOutcome = { isNew: boolean; agent: AgentRecord; warnings: ConfigWarning[] };

/**
 * Checks a config, publishes it as a version, and makes it the current one where that is asked. Returns the agent as of the
 * version. Throws ValidationFault for the config, not_found or conflict.
 */
export async function publishConfig(ctx: Deps, asked: PublishRequest, owner: Owner): Promise<PublishOutcome> {
  const { id, user_id, config } = asked;
  await checkConfig(ctx, user_id, config);
  const builder = builderOf(readConfig(config));
  const published = await publishVersion(ctx.db, { ...asked, builder });
  if (published.kind === "published" && builder !== null) await ctx.streams.signalBuilds().catch(() => undefined);
  if (published.kind === "full") throw conflict("too_many_agents", userHasMost("agents", ctx.config.perUser, user_id));
  if (published.kind === "no_user") throw notFound("user", user_id);
  if (published.kind === "missing") throw notFound("agent", id);
  if (published.kind === "foreign")
    throw conflict("agent_id_taken", `The agent id '${id}' belongs to another user. Choose another id.`);
  if (published.kind === "is_tag")
    throw conflict("version_name_taken", `A tag of the agent is named '${asked.version}'. Choose another version.`);
  if (published.kind === "differs")
    throw conflict(
      "version_exists",
      `Version '${asked.version}' exists with another config, and versions are immutable. Publish the config under a new version, or leave \`version\` out.`,
    );
  const { agent } = published;
  const { version } = agent;
  const isMoved = asked.make_current && agent.current_version !== version;
  if (isMoved) await setCurrentVersion(ctx, { agent_id: id, version, publish: false }, owner);
  return {
    isNew: published.kind === "published",
    agent: isMoved ? { ...agent, current_version: version } : agent,
    warnings: configWarnings(config, configKeys),
  };
}

/** Returns a record without its config when that is long: an author has the code already. */
export function withoutLongConfig<T extends { config: Record<string, unknown> }>(
  record: T,
): Omit<T, "config"> & { config?: Record<string, unknown> } {
  const { config, ...rest } = record;
  return JSON.stringify(config).length > echoedConfigLength ? rest : record;
}
