import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { open } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import { fileNameFault } from "../../shared/domain/agent/file-faults.ts";
import { historyItem } from "../../shared/domain/thread/message-text.ts";
import { runLimits } from "../../shared/domain/run/limits.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { Usage } from "../../shared/schemas/run-event.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import { checkStoredRun, readTexts } from "./read-stored-run.ts";

const MiB = 1024 * 1024;

export type Prepared = {
  request: AgentRequest;
  /** Values that must not leave the run: those of its env_vars and of its agent's secrets. */
  secrets: string[];
  limits: { output_bytes: number; events: number; budget: AgentConfig["budget"]; spent: Usage | null };
};

/**
 * Makes what an attempt's process gets. The code comes from the version's config or, without any there, from the run's own
 * files. Throws UnreadableRun for a malformed row.
 */
export function prepareAttempt(keyRing: KeyRing, attempt: Attempt): Prepared {
  checkStoredRun(attempt);
  const { config, sealed_files, sealed_env } = attempt;
  const files = sealed_files
    ? readTexts(unseal(keyRing, sealed_files, sealedFields.runFiles(attempt.id)), "files")
    : {};
  const env_vars = sealed_env
    ? readTexts(unseal(keyRing, sealed_env, sealedFields.runEnv(attempt.id)), "env_vars")
    : {};
  const secrets = openSecrets(keyRing, attempt, config.secrets ?? []);
  return {
    // The request's values win over the agent's secrets.
    request: agentRequest(attempt, config, { files, env_vars: { ...secrets, ...env_vars } }),
    secrets: [...Object.values(env_vars), ...Object.values(secrets)],
    limits: {
      output_bytes: config.limits?.output_bytes ?? runLimits.output_bytes,
      events: config.limits?.events ?? runLimits.events,
      budget: config.budget,
      spent: attempt.spent,
    },
  };
}

type Opened = { files: Record<string, string>; env_vars: Record<string, string> };

function agentRequest(attempt: Attempt, config: AgentConfig, { files, env_vars }: Opened): AgentRequest {
  const names: string[] = defaultFiles(attempt.adapter_type);
  const code = codeOf(config, names[0] ?? "main.py");
  const version_env = { ...config.env, AGENT_ID: attempt.agent_id, AGENT_VERSION: attempt.version };
  const {
    id: run_id,
    user_id,
    agent_id,
    version,
    thread_id,
    runtime_mode,
    lifecycle,
    input_payload,
    metadata,
  } = attempt;
  return {
    run_id,
    attempt: attempt.attempt,
    user_id,
    agent_id,
    version,
    thread_id,
    runtime_mode,
    lifecycle,
    entrypoint: config.entrypoint ?? names.find((name) => name in code || name in files) ?? null,
    ...programOf(config),
    config_hash: attempt.config_hash,
    code,
    files,
    requirements: config.requirements ?? [],
    input_payload,
    history: attempt.history.length > 0 ? attempt.history : attempt.thread_messages.map(historyItem),
    answers: attempt.answers,
    state_snapshot: attempt.state_snapshot ?? attempt.thread_state ?? "",
    metadata,
    env: { ...version_env, ...env_vars, ...runIdentity(attempt) },
    version_env,
    resources: resourcesOf(config, attempt),
    egress: runtime_mode === "full" ? egressOf(config) : null,
    idle_timeout_ms: config.idle_timeout_ms ?? runLimits.idle_timeout_ms,
  };
}

/** Returns what is run by adapters that run no source. */
function programOf({ command, url, image, output }: AgentConfig) {
  return { command: command ?? null, url: url ?? null, image: image ?? null, output: output ?? "text" };
}

/**
 * Returns a version's code. `source` becomes the file that the entrypoint names; `defaultName`, if the entrypoint names none
 * or one of `files`.
 */
export function codeOf({ entrypoint, source, files = {} }: AgentConfig, defaultName: string): Record<string, string> {
  if (source === undefined) return files;
  const [named = ""] = (entrypoint ?? "").split(":");
  return { [fileNameFault(named) !== null || named in files ? defaultName : named]: source, ...files };
}

/** Returns the agent's secrets that the version's config names. Secrets that are not set are absent. */
function openSecrets(keyRing: KeyRing, attempt: Attempt, names: string[]): Record<string, string> {
  const { agent_id, agent_secrets } = attempt;
  const opened = names.flatMap((name) => {
    const sealed = Object.hasOwn(agent_secrets, name) ? agent_secrets[name] : undefined;
    if (sealed === undefined) return [];
    return [
      [name, open(keyRing, Buffer.from(sealed, "hex"), sealedFields.agentSecret(agent_id, name)).toString("utf8")],
    ];
  });
  return Object.fromEntries(opened) as Record<string, string>;
}

const unseal = (keyRing: KeyRing, sealed: Buffer, aad: string): string => open(keyRing, sealed, aad).toString("utf8");

function runIdentity({ id, thread_id, traceparent }: Attempt): Record<string, string> {
  return {
    RUN_ID: id,
    ...(thread_id === null ? {} : { THREAD_ID: thread_id }),
    ...(traceparent === null ? {} : { TRACEPARENT: traceparent }),
  };
}

/** Returns the hosts that the config allows; null when it asks for no network. */
export function egressOf({ network }: AgentConfig): string[] | null {
  return network === undefined || network === "none" ? null : network.allow;
}

function resourcesOf({ limits }: AgentConfig, { timeout_ms, runtime_mode }: Attempt): AgentRequest["resources"] {
  const memory = runtime_mode === "full" ? runLimits.full_memory_bytes : runLimits.memory_bytes;
  return {
    timeout_ms,
    cpu_ms: limits?.cpu_ms ?? timeout_ms,
    memory_bytes: limits?.memory_mb === undefined ? memory : limits.memory_mb * MiB,
    processes: limits?.pids ?? runLimits.processes,
    disk_bytes: limits?.files_bytes ?? runLimits.disk_bytes,
  };
}
