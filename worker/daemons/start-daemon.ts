import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import { runLimits } from "../../shared/domain/run/limits.ts";
import { type AgentConfig, readConfig } from "../../shared/schemas/agent-config.ts";
import { open } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import { codeOf, egressOf } from "../prepare/agent-request.ts";
import type { WorkerContext } from "../context.ts";
import type { SandboxProcess } from "../sandbox/process.ts";
import type { DaemonStart } from "./daemon-host.ts";

const MiB = 1024 * 1024;

export type StartedDaemon = {
  child: SandboxProcess;
  /** Values that must not leave the process. */
  secrets: string[];
};

type Deps = Pick<WorkerContext, "db" | "config" | "daemonHosts">;

/** Starts the process of the wanted version. Throws when the version can't be started, or there is no sandbox for it. */
export async function startDaemon(
  { db, config, daemonHosts }: Deps,
  { agent_id, user_id }: { agent_id: string; user_id: string },
  wanted: WantedDaemon,
): Promise<StartedDaemon> {
  const { version } = wanted;
  const found = await resolveVersion(db, agent_id, version, null);
  if ("missing" in found) throw new Error(`The agent has no version '${version}'.`);
  const agent = readConfig(found.config);
  const { adapter_type = "python" } = agent;
  const host = daemonHosts.get(adapter_type);
  if (!host) throw new Error(`This worker can't run daemons of adapter '${adapter_type}'.`);
  const env_vars = openEnv(config.encryptionKeys, agent_id, wanted.sealed_env);
  const child = await host({
    agent_id,
    user_id,
    version,
    lifecycle: "daemon",
    packages: null,
    egress: egressOf(agent),
    ...programOf(agent, adapter_type),
    env: { ...agent.env, ...env_vars, AGENT_ID: agent_id, AGENT_VERSION: version },
    state_snapshot: wanted.state_snapshot ?? "",
    resources: resourcesOf(agent),
  });
  return { child, secrets: Object.values(env_vars) };
}

function programOf(agent: AgentConfig, adapter_type: string): Pick<DaemonStart, "code" | "entrypoint"> {
  const names: string[] = defaultFiles(adapter_type);
  const code = codeOf(agent, names[0] ?? "main.py");
  const entrypoint = agent.entrypoint ?? names.find((name) => name in code);
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
