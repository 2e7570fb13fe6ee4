import type { KeyRing } from "../../shared/secrets/seal.ts";
import { open } from "../../shared/secrets/seal.ts";
import { runLimits } from "../../shared/run/limits.ts";
import { type AgentConfig, agentConfig } from "../../shared/schemas/agent-config.ts";
import type { Attempt } from "../../shared/store/runs/claim-run.ts";
import type { AgentRequest } from "../adapters/adapter.ts";

const MiB = 1024 * 1024;
const defaultFile = "main.py";

/** What the agent's process gets: code from its version's config or, if that has none, from the run's own files. */
export function agentRequest(keyRing: KeyRing, attempt: Attempt): AgentRequest {
  const config = agentConfig.parse(attempt.config);
  const files = unseal(keyRing, attempt.sealed_files, `${attempt.id}:files`);
  const env = { ...config.env, ...unseal(keyRing, attempt.sealed_env, `${attempt.id}:env_vars`) };
  const code = codeOf(config);
  const { id: run_id, user_id, agent_id, version, thread_id, runtime_mode, lifecycle, input_payload, metadata } = attempt;
  return {
    run_id,
    attempt: attempt.attempt,
    user_id,
    agent_id,
    version,
    thread_id,
    runtime_mode,
    lifecycle,
    entrypoint: config.entrypoint ?? (defaultFile in code || defaultFile in files ? defaultFile : null),
    code,
    files,
    input_payload,
    history: attempt.history.length > 0 ? attempt.history : attempt.thread_messages,
    state_snapshot: attempt.state_snapshot ?? attempt.thread_state ?? "",
    metadata,
    env: { ...env, ...identity(attempt) },
    resources: resourcesOf(config, attempt),
  };
}

function codeOf(config: AgentConfig): Record<string, string> {
  return { ...(config.source === undefined ? {} : { [defaultFile]: config.source }), ...config.files };
}

function unseal(keyRing: KeyRing, sealed: Buffer | null, aad: string): Record<string, string> {
  return sealed ? (JSON.parse(open(keyRing, sealed, aad).toString("utf8")) as Record<string, string>) : {};
}

function identity({ id, agent_id, version, thread_id, traceparent }: Attempt): Record<string, string> {
  return {
    RUN_ID: id,
    AGENT_ID: agent_id,
    AGENT_VERSION: version,
    ...(thread_id === null ? {} : { THREAD_ID: thread_id }),
    ...(traceparent === null ? {} : { TRACEPARENT: traceparent }),
  };
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
