import type { Adapter, AgentRequest } from "../adapters/adapter.ts";
import { installRequirements, withInstall } from "../adapters/python/install-requirements.ts";
import type { Frame } from "../channel/frame-schema.ts";
import type { DaemonHost } from "../daemons/daemon-host.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { Environments } from "../environments/environments.ts";
import type { CachedProcess, IdleCache } from "../warm/idle-cache.ts";
import { createUnbilledTime } from "../warm/unbilled-time.ts";
import { identityOf, type InteractiveProcess, openInteractiveProcess } from "./interactive-process.ts";

/** Then a process is replaced, whatever it holds by then. */
const mostRuns = 1_000;
const oldestMs = 30 * 60_000;
/** The part of its memory limit that a process may hold between two runs. */
const mostMemory = 1 / 2;

type ReusedProcess = CachedProcess & { process: InteractiveProcess; openedAt: number; runs: number };
type Options = { hosts: ReadonlyMap<string, DaemonHost>; environments: Environments; idle: IdleCache };

/**
 * Adapters for versions whose config says `reuse`, by adapter_type: one process executes a version's runs one after another,
 * so that modules, connections and threads stay. Runs at the same time have a process each. A process is replaced after a run
 * that failed, was stopped or reached a limit, and when it is old. Between its runs it is in `idle` like any warm interpreter.
 */
export function createReusedProcesses(options: Options): ReadonlyMap<string, Adapter> {
  const shelf = options.idle.shelf<ReusedProcess>();
  const unbilled = createUnbilledTime();

  async function* run(host: DaemonHost, request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
    const found = await shelf.take(identityOf(request), signal).catch(() => null);
    if (found) return yield* use(found, request, signal);
    const installed = yield* installRequirements(options.environments, request, signal);
    if (installed === null) return;
    const process = await openInteractiveProcess(host, request, { packages: installed.packages, signal });
    yield* installed.opening;
    const opened: ReusedProcess = {
      key: identityOf(request),
      interpreter: process,
      bytes: 0,
      process,
      openedAt: now(),
      runs: 0,
    };
    for await (const frame of withInstall(use(opened, request, signal), installed))
      if (frame.type !== "started") yield frame;
  }

  async function* use(reused: ReusedProcess, request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
    const { process } = reused;
    let mayStay = false;
    try {
      for await (const frame of process.run(request, signal)) {
        if (frame.type === "result") mayStay = true;
        if (frame.type === "exit") mayStay &&= frame.code === 0 && frame.limit === null && !signal.aborted;
        if (frame.type === "started") yield { ...frame, reused: true };
        else if (frame.type === "exit") yield { ...frame, cpu_ms: (frame.cpu_ms ?? 0) + unbilled.take(reused.key) };
        else yield frame;
      }
    } finally {
      reused.runs += 1;
      if (mayStay && !isWorn(reused, request)) putBack(reused, request.user_id);
      else process.kill();
    }
  }

  function putBack(reused: ReusedProcess, owner: string): void {
    const { key, process } = reused;
    const charge = (): void => unbilled.add(key, process.usage().cpu_ms - process.usageWhenIdle().cpu_ms);
    shelf.put({ key, owner, ready: Promise.resolve(reused), kill: () => process.kill(), charge });
  }

  return new Map(
    [...options.hosts].map(([type, host]) => [type, { run: (request, signal) => run(host, request, signal) }]),
  );
}

/** True for runs that a process of earlier runs may execute. */
export const mayReuse = ({ config, runtime_mode, sealed_files }: Attempt): boolean =>
  config.reuse === true && runtime_mode !== "isolated" && sealed_files === null;

const now = (): number => performance.now();

const isWorn = ({ process, openedAt, runs }: ReusedProcess, request: AgentRequest): boolean =>
  runs >= mostRuns ||
  now() - openedAt > oldestMs ||
  !process.fits(request) ||
  process.usageWhenIdle().memory_bytes > request.resources.memory_bytes * mostMemory;
