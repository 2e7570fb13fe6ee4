import type { AgentProcess } from "../../sandbox/process.ts";
import { SandboxUnavailable } from "../../sandbox/sandbox.ts";
import type { ResidentCommand } from "../../sandbox/resident.ts";
import type { AgentRequest } from "../adapter.ts";
import { keepSpares } from "../keep-spares.ts";
import { type Home, keepIdle } from "./idle-interpreters.ts";
import type { Interpreter } from "./interpreter.ts";
import { canPreload, findConflict, loadCode } from "./load-code.ts";

type Resources = ResidentCommand["resources"];
/** What an interpreter is started with. */
type Ground = { resources: Resources; packages: string | null; egress: readonly string[] | null };

type PoolOptions = {
  open: (ground: Ground) => Promise<Interpreter>;
  /** What most versions have. */
  usual: Resources;
  /** All that idle interpreters may hold together. */
  memoryBytes: number;
};

/** `packages`: the directory of those that the agent requires. */
export type Wanted = { request: AgentRequest; packages: string | null; signal: AbortSignal };

export type Taken = {
  /** Whether this version's interpreter stood ready. */
  warm: boolean;
  /** Something that the agent's author should know of how it is run. */
  note: string | null;
  run(): AgentProcess;
  /** After the run has exited. */
  giveBack(): void;
};

export type InterpreterPool = {
  /**
   * An interpreter for one run. Nobody else's runs, and no other version's, were ever played in it. Rejects with
   * `SandboxUnavailable`, or when `signal` aborts.
   */
  take(wanted: Wanted): Promise<Taken>;
  close(): void;
};

const sameResources = ["memory_bytes", "processes", "disk_bytes"] as const;
/** Of how many versions it is remembered that they can't be loaded ahead. */
const rememberedCount = 1_000;

/**
 * Interpreters by owner and agent version, which have the version's code loaded and play its runs one after another. Code
 * that can't be loaded ahead is loaded by each run. An `isolated` run has an interpreter to itself, which goes with it.
 */
export function createInterpreterPool({ open, usual, memoryBytes }: PoolOptions): InterpreterPool {
  const spares = keepSpares<Ground, Interpreter>({
    open,
    usual: { resources: usual, packages: null, egress: null },
    fits: isLike(usual),
  });
  const idle = keepIdle(memoryBytes);
  const unloadable = createMemory(rememberedCount);

  async function takeIdle(key: string, request: AgentRequest): Promise<Home | null> {
    const home = await idle.take(key);
    if (!home || !findConflict(home.envRead, request)) return home;
    home.interpreter.kill();
    unloadable.add(key);
    return null;
  }

  /** A new home, with the code loaded where that can be done; `fault` is what kept it from being done just now. */
  async function settle(key: string, { request, packages, signal }: Wanted) {
    const ground = { resources: request.resources, packages, egress: request.egress };
    let fault: string | null = null;
    if (canPreload(request) && !unloadable.has(key)) {
      const interpreter = await spares.take(ground);
      const loaded = await loadCode(interpreter, request, { preload: true, signal });
      fault = loaded.fault ?? findConflict(loaded.env_read, request);
      if (!fault) return { home: homeOf(key, interpreter, loaded.env_read), fault };
      interpreter.kill();
      signal.throwIfAborted();
      unloadable.add(key);
    }
    const interpreter = await spares.take(ground);
    const loaded = await loadCode(interpreter, request, { preload: false, signal });
    if (loaded.fault) throw new SandboxUnavailable("the interpreter ended before the run");
    return { home: homeOf(key, interpreter, []), fault };
  }

  return {
    async take(wanted) {
      const { request } = wanted;
      const { user_id, agent_id, version, runtime_mode } = request;
      const isolated = runtime_mode === "isolated";
      const key = JSON.stringify([user_id, agent_id, version, runtime_mode, canPreload(request)]);
      const found = isolated ? null : await takeIdle(key, request);
      const { home, fault } = found ? { home: found, fault: null } : await settle(key, wanted);
      return {
        warm: found !== null,
        note: fault ? `Each run loads the agent's code anew, since ${fault}.` : null,
        run: () => home.interpreter.run(request),
        giveBack() {
          if (isolated) home.interpreter.kill();
          else idle.keep(home);
        },
      };
    },
    close() {
      spares.close();
      idle.close();
    },
  };
}

const homeOf = (key: string, interpreter: Interpreter, envRead: string[]): Home => ({
  key,
  interpreter,
  envRead,
  bytes: interpreter.memoryBytes(),
});

const isLike =
  (usual: Resources) =>
  ({ resources, packages, egress }: Ground): boolean =>
    packages === null && egress === null && sameResources.every((name) => resources[name] === usual[name]);

/** A set that forgets its oldest. */
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
