import { runLimits } from "../../shared/domain/run/run-limits.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import { SandboxUnavailable } from "../sandbox/sandbox.ts";
import type { CachedProcess } from "./idle-cache.ts";
import type { Interpreter, Loaded } from "./interpreter.ts";
import { cpuLimitOf, defaultProfile, isDefault, type LaunchProfile, launchProfile } from "./launch-profile.ts";
import { prewarm } from "./prewarm.ts";

export type LoaderOptions = {
  open: (profile: LaunchProfile) => Promise<Interpreter>;
  /** True when a sandbox gets its limit of CPU time at its start; otherwise the limit is set when the code is loaded. */
  limitsCpuAtStart: boolean;
  /** Whether interpreters are prewarmed at once, or from the first run on. */
  prewarmsAtOnce: boolean;
};

/** An interpreter that has the code of its version. */
export type LoadedInterpreter = CachedProcess & {
  interpreter: Interpreter;
  /** Names of the variables that the code read while it was loaded. */
  envRead: string[];
};

/** A run that needs an interpreter. `packages`: the directory of those that the agent requires. */
export type InterpreterRequest = { request: AgentRequest; packages: string | null; signal: AbortSignal };

export type Loader = {
  /** Runs with the same key can share an interpreter: same owner, version, mode and launch profile. */
  keyOf(wanted: InterpreterRequest): string;
  /**
   * Returns an interpreter, with the version's code loaded where that is possible. `fault` says why it was not possible just
   * now; `spentMs` is the CPU time that the code took in a process that was thrown away. Rejects with `LoadingStopped` when
   * `signal` aborts.
   */
  load(wanted: InterpreterRequest): Promise<{ interpreter: LoadedInterpreter; fault: string | null; spentMs: number }>;
  /** True when the code of such runs may be loaded before they come. */
  mayPreload(wanted: InterpreterRequest): boolean;
  /** True when a loaded interpreter can execute this run. If not, the version's code is not loaded ahead any more. */
  suits(loaded: LoadedInterpreter, wanted: InterpreterRequest): boolean;
  close(): void;
};

/** The agent's code was still being loaded when its run was over. */
export class LoadingStopped extends Error {
  override name = "LoadingStopped";
  readonly spentMs: number;
  constructor(spentMs: number) {
    super("The loading was stopped.");
    this.spentMs = spentMs;
  }
}

/** How many versions are remembered as ones that can't be loaded ahead. */
const rememberedCount = 1_000;

/** Loads agents' code into prewarmed interpreters. */
export function createLoader({ open, limitsCpuAtStart, prewarmsAtOnce }: LoaderOptions): Loader {
  const prewarmed = prewarm({ open, defaultProfile, isDefault, atOnce: prewarmsAtOnce });
  const unloadable = createMemory(rememberedCount);

  const profileFor = ({ request: { resources, egress }, packages }: InterpreterRequest): LaunchProfile =>
    launchProfile(resources, { cpu_ms: limitsCpuAtStart ? cpuLimitOf(resources) : null, packages, egress });

  function keyOf(wanted: InterpreterRequest): string {
    const { user_id, agent_id, version, config_hash, runtime_mode, resources } = wanted.request;
    const identity = [user_id, agent_id, version, config_hash, runtime_mode];
    return JSON.stringify([...identity, canPreload(wanted.request), cpuLimitOf(resources), profileFor(wanted)]);
  }
  const mayPreload = (wanted: InterpreterRequest): boolean =>
    canPreload(wanted.request) && !unloadable.has(keyOf(wanted));

  return {
    keyOf,
    mayPreload,
    async load(wanted) {
      const { request, signal } = wanted;
      const profile = profileFor(wanted);
      const key = keyOf(wanted);
      let fault: string | null = null;
      let spentMs = 0;
      if (mayPreload(wanted)) {
        const interpreter = await prewarmed.take(profile);
        const loaded = await loadCode(interpreter, request, { preload: true, signal });
        fault = loaded.fault ?? findConflict(loaded.env_read, request);
        if (!fault) return { interpreter: { key, interpreter, envRead: loaded.env_read, bytes: 0 }, fault, spentMs };
        interpreter.kill();
        await interpreter.exited;
        spentMs = interpreter.unbilledMs();
        if (signal.aborted) throw new LoadingStopped(spentMs);
        unloadable.add(key);
      }
      const interpreter = await prewarmed.take(profile);
      const loaded = await loadCode(interpreter, request, { preload: false, signal });
      if (signal.aborted) throw new LoadingStopped(spentMs);
      if (loaded.fault) throw new SandboxUnavailable("the interpreter ended before the run");
      return { interpreter: { key, interpreter, envRead: [], bytes: 0 }, fault, spentMs };
    },
    suits({ key, envRead }, { request }) {
      if (!findConflict(envRead, request)) return true;
      unloadable.add(key);
      return false;
    },
    close: () => prewarmed.close(),
  };
}

type LoadOptions = { preload: boolean; signal: AbortSignal };

/** Gives an interpreter the agent's code. After a fault the interpreter is of no use; an abort is a fault, too. */
async function loadCode(
  interpreter: Interpreter,
  { entrypoint, code, version_env, resources }: AgentRequest,
  { preload, signal }: LoadOptions,
): Promise<Loaded> {
  const kill = (): void => interpreter.kill();
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    const cpu_ms = cpuLimitOf(resources) ?? runLimits.max_timeout_ms;
    return await interpreter.load({ entrypoint, code, env: version_env, preload, cpu_ms });
  } catch {
    return { preloaded: false, fault: "its process ends when it is imported", env_read: [] };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

/** True when the code may be loaded before its runs. A run's own files may be part of the code, or shadow it. */
function canPreload({ entrypoint, code, files, runtime_mode }: AgentRequest): boolean {
  const hasCode = entrypoint !== null && Object.keys(code).length > 0;
  return runtime_mode !== "isolated" && hasCode && Object.keys(files).length === 0;
}

/** Variables that identify a run. Code that lists the whole environment while it is loaded does not need them. */
const runNames = new Set(["RUN_ID", "THREAD_ID", "TRACEPARENT"]);

/** Returns why a run can't use code that read these variables when it was loaded; null when it can. */
function findConflict(envRead: string[], { env, version_env }: AgentRequest): string | null {
  const own = Object.keys(env).filter((name) => env[name] !== version_env[name]);
  const found = own.find((name) => envRead.includes(name) || (envRead.includes("*") && !runNames.has(name)));
  return found === undefined ? null : `it reads or sets the environment (${found}) when it is imported`;
}

/** A set that forgets its oldest key. */
function createMemory(most: number): { has(key: string): boolean; add(key: string): void } {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      const [oldest] = keys;
      if (keys.size >= most && oldest !== undefined) keys.delete(oldest);
      keys.add(key);
    },
  };
}
