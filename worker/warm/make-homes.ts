import { SandboxUnavailable } from "../sandbox/sandbox.ts";
import type { AgentRequest } from "../adapters/adapter.ts";
import { cpuLimitOf, type Ground, groundOf, isUsual, usualGround } from "./ground.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Home } from "./keep-idle.ts";
import { keepSpares } from "./keep-spares.ts";
import { canPreload, findConflict, loadCode } from "./load-code.ts";

export type HomeOptions = {
  open: (ground: Ground) => Promise<Interpreter>;
  /** Whether a limit on processor time is the sandbox's from its start; else it is set when the code is loaded. */
  limitsCpuAtStart: boolean;
};

/** `packages`: the directory of those that the agent requires. */
export type Wanted = { request: AgentRequest; packages: string | null; signal: AbortSignal };

export type Homes = {
  /** Runs of one key may follow on one another in a home: same owner, version, mode and ground. */
  keyOf(wanted: Wanted): string;
  /**
   * A home with the code loaded where that can be done; `fault` is what kept it from being done just now, and `spentMs` the
   * processor time that the code took in a process that is of no use. Rejects with `LoadingStopped` when `signal` aborts.
   */
  make(wanted: Wanted): Promise<{ home: Home; fault: string | null; spentMs: number }>;
  /** Whether the code of such runs may be loaded before they come. */
  mayPreload(wanted: Wanted): boolean;
  /** Whether a home that stands ready will do for this run; if not, none is loaded ahead for its key any more. */
  suits(home: Home, wanted: Wanted): boolean;
  close(): void;
};

/** The code was still at work when the time of its run was over. */
export class LoadingStopped extends Error {
  override name = "LoadingStopped";
  readonly spentMs: number;
  constructor(spentMs: number) {
    super("The loading was stopped.");
    this.spentMs = spentMs;
  }
}

/** Of how many versions it is remembered that they can't be loaded ahead. */
const rememberedCount = 1_000;

/** Makes homes out of interpreters that were started before anybody asked. */
export function makeHomes({ open, limitsCpuAtStart }: HomeOptions): Homes {
  const spares = keepSpares({ open, usual: usualGround, fits: isUsual });
  const unloadable = createMemory(rememberedCount);

  const groundFor = ({ request: { resources, egress }, packages }: Wanted): Ground =>
    groundOf(resources, { cpu_ms: limitsCpuAtStart ? cpuLimitOf(resources) : null, packages, egress });

  function keyOf(wanted: Wanted): string {
    const { user_id, agent_id, version, config_hash, runtime_mode } = wanted.request;
    return JSON.stringify([
      user_id,
      agent_id,
      version,
      config_hash,
      runtime_mode,
      canPreload(wanted.request),
      cpuLimitOf(wanted.request.resources),
      groundFor(wanted),
    ]);
  }
  const mayPreload = (wanted: Wanted): boolean => canPreload(wanted.request) && !unloadable.has(keyOf(wanted));

  return {
    keyOf,
    mayPreload,
    async make(wanted) {
      const { request, signal } = wanted;
      const ground = groundFor(wanted);
      const key = keyOf(wanted);
      let fault: string | null = null;
      let spentMs = 0;
      if (mayPreload(wanted)) {
        const interpreter = await spares.take(ground);
        const loaded = await loadCode(interpreter, request, { preload: true, signal });
        fault = loaded.fault ?? findConflict(loaded.env_read, request);
        if (!fault) return { home: homeOf(key, interpreter, loaded.env_read), fault, spentMs };
        interpreter.kill();
        await interpreter.exited;
        spentMs = interpreter.unbilledMs();
        if (signal.aborted) throw new LoadingStopped(spentMs);
        unloadable.add(key);
      }
      const interpreter = await spares.take(ground);
      const loaded = await loadCode(interpreter, request, { preload: false, signal });
      if (signal.aborted) throw new LoadingStopped(spentMs);
      if (loaded.fault) throw new SandboxUnavailable("the interpreter ended before the run");
      return { home: homeOf(key, interpreter, []), fault, spentMs };
    },
    suits({ key, envRead }, { request }) {
      if (!findConflict(envRead, request)) return true;
      unloadable.add(key);
      return false;
    },
    close: () => spares.close(),
  };
}

const homeOf = (key: string, interpreter: Interpreter, envRead: string[]): Home => ({
  key,
  interpreter,
  envRead,
  bytes: 0,
});

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
