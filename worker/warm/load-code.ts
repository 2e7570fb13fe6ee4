import { runLimits } from "../../shared/domain/run/limits.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import { cpuLimitOf } from "./ground.ts";
import type { Interpreter, Loaded } from "./interpreter.ts";

type Loading = { preload: boolean; signal: AbortSignal };

/** Variables that say which run it is; code that lists the environment while it is loaded isn't after these. */
const runNames = new Set(["RUN_ID", "THREAD_ID", "TRACEPARENT"]);

/** Gives an interpreter the agent's code. A fault means that it is of no more use; an abort is one. */
export async function loadCode(
  interpreter: Interpreter,
  { entrypoint, code, version_env, resources }: AgentRequest,
  { preload, signal }: Loading,
): Promise<Loaded> {
  const kill = (): void => interpreter.kill();
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    return await interpreter.load({
      entrypoint,
      code,
      env: version_env,
      preload,
      cpu_ms: cpuLimitOf(resources) ?? runLimits.max_timeout_ms,
    });
  } catch {
    return { preloaded: false, fault: "its process ends when it is imported", env_read: [] };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

/** Whether the code may be loaded before its runs. A run's own files may be part of the code, or shadow it. */
export function canPreload({ entrypoint, code, files, runtime_mode }: AgentRequest): boolean {
  const path = entrypoint?.split(":")[0] ?? "";
  return runtime_mode !== "isolated" && path in code && Object.keys(files).length === 0;
}

/** Why a run can't use code that asked for these variables when it was loaded; null if it can. */
export function findConflict(envRead: string[], { env, version_env }: AgentRequest): string | null {
  const own = Object.keys(env).filter((name) => env[name] !== version_env[name]);
  const found = own.find((name) => envRead.includes(name) || (envRead.includes("*") && !runNames.has(name)));
  return found === undefined ? null : `it reads or sets the environment (${found}) when it is imported`;
}
