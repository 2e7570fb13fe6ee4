import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { open } from "../../shared/platform/secrets/seal.ts";
import { applyDefaults } from "../../shared/domain/json/apply-defaults.ts";
import { connectionVariables } from "../../shared/domain/connection/connection-variables.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import { historyItem } from "../../shared/domain/thread/message-text.ts";
import { runLimits } from "../../shared/domain/run/run-limits.ts";
import { hashJson } from "../../shared/platform/hash-json.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { OpenConnection } from "../../shared/schemas/gateway.ts";
import type { Usage } from "../../shared/schemas/run-event.ts";
import type { UnsealedSecrets } from "../../shared/store/secrets/unseal-secrets.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import { checkStoredRun, readTexts } from "./read-stored-run.ts";
import { versionCode } from "./version-code.ts";

const MiB = 1024 * 1024;

export type Prepared = {
  request: AgentRequest;
  /** Values that must not leave the run: those of its env_vars, of its agent's secrets and of its connections. */
  secrets: string[];
  /** Names that the config declares and that neither the agent's secrets nor the request have. */
  missing_secrets: string[];
  limits: { output_bytes: number; events: number; budget: AgentConfig["budget"]; spent: Usage | null };
};

/**
 * Makes what an attempt's process gets. The code comes from the version's config or, without any there, from the run's own
 * files. `connections`, `opened`: those that its config names. Throws UnreadableRun for a malformed row.
 */
export function prepareAttempt(
  keyRing: KeyRing,
  attempt: Attempt,
  { connections, opened }: { connections: OpenConnection[]; opened: UnsealedSecrets },
): Prepared {
  checkStoredRun(attempt);
  const { config, sealed_files, sealed_env } = attempt;
  const files = sealed_files
    ? readTexts(unseal(keyRing, sealed_files, sealedFields.runFiles(attempt.id)), "files")
    : {};
  const env_vars = sealed_env
    ? readTexts(unseal(keyRing, sealed_env, sealedFields.runEnv(attempt.id)), "env_vars")
    : {};
  const names = config.secrets ?? [];
  // The agent's win, and of these the ones of a tag.
  const secrets = { ...opened.ofOwner, ...openAgentSecrets(keyRing, attempt, names), ...opened.ofAgent };
  return {
    // The request's values win over the agent's secrets.
    request: agentRequest(attempt, config, { files, env_vars: { ...secrets, ...env_vars }, connections }),
    secrets: [
      ...Object.values(env_vars),
      ...Object.values(secrets),
      ...connections.map((connection) => connection.secret),
    ],
    missing_secrets: names.filter((name) => !(name in secrets) && !(name in env_vars)),
    limits: {
      output_bytes: config.limits?.output_bytes ?? runLimits.output_bytes,
      events: config.limits?.events ?? runLimits.events,
      budget: config.budget,
      spent: attempt.spent,
    },
  };
}

type Opened = { files: Record<string, string>; env_vars: Record<string, string>; connections: OpenConnection[] };

function agentRequest(attempt: Attempt, config: AgentConfig, opened: Opened): AgentRequest {
  const { files, env_vars, connections } = opened;
  const names: string[] = defaultFiles(attempt.adapter_type);
  const { code, entrypoint } = versionCode(config, attempt.output, names[0] ?? "main.py");
  // Code that is loaded ahead of its runs may make its clients then.
  const egress = listenerOf(config, attempt.runtime_mode);
  const variables = connectionVariables(connections, egress ?? []);
  const version_env = { ...config.env, ...variables, AGENT_ID: attempt.agent_id, AGENT_VERSION: attempt.version };
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
    entrypoint: entrypoint ?? names.find((name) => name in code || name in files) ?? null,
    ...programOf(config),
    config_hash: hashOf(attempt, variables),
    code,
    files,
    requirements: config.requirements ?? [],
    lock: attempt.lock,
    input_payload: config.input_schema ? applyDefaults(config.input_schema, input_payload) : input_payload,
    history: attempt.history.length > 0 ? attempt.history : attempt.thread_messages.map(historyItem),
    answers: attempt.answers,
    state_snapshot: attempt.state_snapshot ?? attempt.thread_state ?? "",
    metadata,
    env: { ...version_env, ...env_vars, ...variables, ...runIdentity(attempt) },
    version_env,
    resources: resourcesOf(config, attempt),
    egress,
    stop_grace_ms: config.stop_grace_ms ?? runLimits.stop_grace_ms,
    idle_timeout_ms: config.idle_timeout_ms ?? runLimits.idle_timeout_ms,
  };
}

/** Code that was loaded with other variables can't be used. */
const hashOf = ({ config_hash }: Attempt, variables: Record<string, string>): string =>
  Object.keys(variables).length === 0 ? config_hash : `${config_hash}${hashJson(variables).toString("hex")}`;

/** Returns what is run by adapters that run no source. */
function programOf({ command, url, image, output }: AgentConfig) {
  return { command: command ?? null, url: url ?? null, image: image ?? null, output: output ?? "text" };
}

/** Returns the agent's secrets without a tag that the version's config names. Secrets that are not set are absent. */
function openAgentSecrets(keyRing: KeyRing, attempt: Attempt, names: string[]): Record<string, string> {
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

/** Connections need a listener, though it leads nowhere else. */
const listenerOf = (config: AgentConfig, runtime_mode: string): string[] | null =>
  (runtime_mode === "full" ? egressOf(config) : null) ?? ((config.connections ?? []).length > 0 ? [] : null);

export function resourcesOf(
  { limits }: AgentConfig,
  { timeout_ms, runtime_mode }: Pick<Attempt, "timeout_ms" | "runtime_mode">,
): AgentRequest["resources"] {
  const memory = runtime_mode === "full" ? runLimits.full_memory_bytes : runLimits.memory_bytes;
  return {
    timeout_ms,
    cpu_ms: limits?.cpu_ms ?? timeout_ms,
    memory_bytes: limits?.memory_mb === undefined ? memory : limits.memory_mb * MiB,
    processes: limits?.pids ?? runLimits.processes,
    disk_bytes: limits?.files_bytes ?? runLimits.disk_bytes,
  };
}
