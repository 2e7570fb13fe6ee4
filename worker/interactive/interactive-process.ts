import { createRedactor } from "../../shared/platform/secrets/redact.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import type { SandboxUsage } from "../sandbox/process.ts";
import { isBusyWhileIdle } from "../warm/is-busy-while-idle.ts";
import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { DaemonHost } from "../daemons/daemon-host.ts";
import { DaemonLost, openDaemonProcess } from "../daemons/daemon-process.ts";

/** A process that keeps its memory between the runs that it executes: those of one `interactive` thread, or of one version. */
export type InteractiveProcess = {
  user_id: string;
  /** Whether a run can go on in it: the same agent's same version and code, in the same mode. Nothing goes on in one that is being ended, or that has seen too many secrets. */
  fits(request: AgentRequest): boolean;
  /** Runs one run at a time, as an `Adapter` does. */
  run(request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame>;
  /** Since when the process has had no run, by `performance.now()`; null while it has one. */
  idleSince(): number | null;
  idleTimeoutMs: number;
  /** True when the process uses CPU though it has no run. */
  isBusyWhileIdle(): boolean;
  usage(): SandboxUsage;
  /** Returns its usage when its last run ended. */
  usageWhenIdle(): SandboxUsage;
  isGone(): boolean;
  /** Resolves when the process is gone. Never rejects. */
  over: Promise<void>;
  kill(): void;
};

/** The characters of earlier runs' secrets that a process may have seen. What it says is searched for each of them. */
const mostSecrets = 256 * 1024;

type OpenOptions = { packages: string | null; signal: AbortSignal };

/** Starts a process, and ends it when `signal` aborts before it is ready. Rejects with `SandboxUnavailable`. */
export async function openInteractiveProcess(
  host: DaemonHost,
  first: AgentRequest,
  { packages, signal }: OpenOptions,
): Promise<InteractiveProcess> {
  const { agent_id, user_id, version, code, entrypoint, resources, egress } = first;
  // Each run brings its own state.
  const start = { agent_id, user_id, version, entrypoint, state_snapshot: "", resources, packages, egress };
  const child = await host({ ...start, lifecycle: "interactive", code, env: first.version_env });
  const secrets = new Set<string>();
  let secretsLength = 0;
  let redact = createRedactor([]);
  /** The process remembers earlier runs: their secrets must not leave by a later run either. */
  function addSecrets(values: string[]): void {
    const more = values.filter((value) => !secrets.has(value));
    if (more.length === 0) return;
    for (const value of more) {
      secrets.add(value);
      secretsLength += value.length;
    }
    redact = createRedactor([...secrets]);
  }
  let isGone = false;
  let idleSince: number | null = null;
  let whenIdle: SandboxUsage = { cpu_ms: 0, memory_bytes: 0 };
  let onReady = (): void => {};
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  const process = openDaemonProcess(child, {
    onReady,
    onAlive: () => {},
    onOwn: () => {},
    onPrint: (stream, text): AgentFrame =>
      stream === "stdout"
        ? { type: "output", content: text }
        : { type: "log", level: "info", stream, message: text.replace(/\n$/, "") },
  });
  const identity = identityOf(first);
  // Code that the author installed may run before the process is ready, and may never end.
  const kill = (): void => {
    isGone = true;
    process.kill();
  };
  void process.exited.then(() => (isGone = true));
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  await Promise.race([ready, process.exited]);
  signal.removeEventListener("abort", kill);

  return {
    user_id,
    fits: (request) => !isGone && secretsLength <= mostSecrets && identityOf(request) === identity,
    async *run(request, signal) {
      idleSince = null;
      addSecrets(secretsOf(request));
      try {
        for await (const frame of process.deliver(request, signal)) {
          if (frame.type === "started" || frame.type === "exit") yield frame;
          // A file's content is not text.
          else if (frame.type === "artifact")
            yield { ...redact.frame({ ...frame, content: "" }), content: frame.content };
          else yield redact.frame(frame);
        }
      } catch (error) {
        if (!(error instanceof DaemonLost)) throw error;
        yield { type: "exit", ...(error.exit ?? killed) };
      } finally {
        idleSince = performance.now();
        whenIdle = process.usage();
      }
    },
    idleSince: () => idleSince,
    idleTimeoutMs: first.idle_timeout_ms,
    isBusyWhileIdle: () =>
      idleSince !== null && isBusyWhileIdle(process.usage().cpu_ms - whenIdle.cpu_ms, performance.now() - idleSince),
    usage: () => process.usage(),
    usageWhenIdle: () => whenIdle,
    isGone: () => isGone,
    over: process.exited.then(() => undefined),
    kill,
  };
}

const killed = { code: null, signal: "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null };

/** Two runs with the same identity can share a process. An agent without code runs what the run's files hold. */
export function identityOf(request: AgentRequest): string {
  const { agent_id, user_id, version, config_hash, runtime_mode, code, files } = request;
  const brought = Object.keys(code).length === 0 ? files : null;
  return JSON.stringify([agent_id, user_id, version, config_hash, runtime_mode, brought]);
}

/** The values of the run's env, without the version's own and the run's identity. */
function secretsOf({ env, version_env }: AgentRequest): string[] {
  const known = new Set([...Object.keys(version_env), "RUN_ID", "THREAD_ID", "TRACEPARENT"]);
  return Object.entries(env).flatMap(([name, value]) => (known.has(name) ? [] : [value]));
}
