import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import { runLimits } from "../../shared/domain/run/run-limits.ts";
import { type AgentConfig, readConfig } from "../../shared/schemas/agent-config.ts";
import { open } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import { type BuildOutput, buildOutput } from "../../shared/schemas/build.ts";
import { readVersionConfig } from "../../shared/store/agents/read-version-config.ts";
import { unsealAllSecrets } from "../../shared/store/secrets/unseal-secrets.ts";
import type { Db } from "../../shared/store/client.ts";
import { egressOf } from "../prepare/agent-request.ts";
import { secretsNotSet } from "../prepare/secrets-not-set.ts";
import { versionCode } from "../prepare/version-code.ts";
import type { WorkerContext } from "../context.ts";
import { WorkerFault } from "../worker-fault.ts";
import type { Packages } from "../environments/packages.ts";
import type { SandboxProcess } from "../sandbox/process.ts";
import type { DaemonStart } from "./daemon-host.ts";

const MiB = 1024 * 1024;

export type StartedDaemon = {
  child: SandboxProcess;
  /** Values that must not leave the process. */
  secrets: string[];
};

type Deps = Pick<WorkerContext, "db" | "config" | "daemonHosts" | "environments">;
/** `signal` stops an install of packages, whose log `onLine` gets. */
type StartOptions = { signal: AbortSignal; onLine: (line: string) => void };

/** Starts the process of the wanted version. Throws when the version can't be started, or there is no sandbox for it. */
export async function startDaemon(
  { db, config, daemonHosts, environments }: Deps,
  { agent_id, user_id }: { agent_id: string; user_id: string },
  wanted: WantedDaemon,
  starting: StartOptions,
): Promise<StartedDaemon> {
  const { version } = wanted;
  const found = await resolveVersion(db, agent_id, version, null);
  if ("missing" in found) throw new Error(`The agent has no version '${version}'.`);
  const agent = readConfig(found.config);
  const { adapter_type = "python" } = agent;
  const host = daemonHosts.get(adapter_type);
  if (!host) throw new Error(`This worker can't run daemons of adapter '${adapter_type}'.`);
  const env_vars = openEnv(config.encryptionKeys, agent_id, wanted.sealed_env);
  const names = (agent.secrets ?? []).filter((name) => !(name in env_vars));
  const secrets = await unsealAllSecrets(db, config.encryptionKeys, { user_id, agent_id, version, names });
  const missing = names.filter((name) => !(name in secrets));
  if (missing.length > 0) throw new Error(secretsNotSet(agent_id, missing));
  const { output, lock } = await readBuilt(db, agent_id, version);
  const packages = await findPackages(
    environments,
    { requirements: agent.requirements ?? [], lock },
    user_id,
    starting,
  );
  starting.signal.throwIfAborted();
  const child = await host({
    agent_id,
    user_id,
    version,
    lifecycle: "daemon",
    packages,
    egress: egressOf(agent) ?? ((agent.connections ?? []).length > 0 ? [] : null),
    ...programOf(agent, output, adapter_type),
    env: { ...agent.env, ...secrets, ...env_vars, AGENT_ID: agent_id, AGENT_VERSION: version },
    state_snapshot: wanted.state_snapshot ?? "",
    resources: resourcesOf(agent),
  });
  return { child, secrets: [...Object.values(env_vars), ...Object.values(secrets)] };
}

/**
 * Returns the directory of the packages that the agent requires; null when it requires none. Throws when they can't be had:
 * `WorkerFault` where this worker can't have them for now.
 */
async function findPackages(
  environments: Deps["environments"],
  packages: Packages,
  owner: string,
  { signal, onLine }: StartOptions,
): Promise<string | null> {
  if (packages.requirements.length === 0) return null;
  const found = environments.find(packages);
  if (found !== null) return found;
  const build = environments.build({ packages, owner, signal });
  for await (const line of build.log) onLine(line);
  const built = await build.done;
  if ("directory" in built) return built.directory;
  const message = `The requirements could not be installed: ${built.fault}`;
  throw built.ofWorker ? new WorkerFault(message) : new Error(message);
}

/** Returns what the version's build made. Throws when it failed. */
async function readBuilt(db: Db, agent_id: string, version: string) {
  const found = await readVersionConfig(db, agent_id, version);
  if (found?.build_error != null) throw new Error(found.build_error);
  return { output: buildOutput.safeParse(found?.output).data ?? null, lock: found?.lock ?? null };
}

function programOf(
  agent: AgentConfig,
  output: BuildOutput | null,
  adapter_type: string,
): Pick<DaemonStart, "code" | "entrypoint"> {
  const names: string[] = defaultFiles(adapter_type);
  const { code, entrypoint = names.find((name) => name in code) } = versionCode(agent, output, names[0] ?? "main.py");
  if (entrypoint === undefined) throw new Error("The agent's config holds no code to run.");
  return { code, entrypoint };
}

function resourcesOf({ limits }: AgentConfig): DaemonStart["resources"] {
  return {
    memory_bytes: limits?.memory_mb === undefined ? runLimits.memory_bytes : limits.memory_mb * MiB,
    processes: limits?.pids ?? runLimits.processes,
    disk_bytes: limits?.files_bytes ?? runLimits.disk_bytes,
  };
}

function openEnv(
  keys: Deps["config"]["encryptionKeys"],
  agent_id: string,
  sealed: Buffer | null,
): Record<string, string> {
  return sealed
    ? (JSON.parse(open(keys, sealed, sealedFields.daemonEnv(agent_id)).toString("utf8")) as Record<string, string>)
    : {};
}
