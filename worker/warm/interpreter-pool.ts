import { setTimeout as sleep } from "node:timers/promises";
import type { AgentProcess } from "../sandbox/process.ts";
import type { IdleCache } from "./idle-cache.ts";
import {
  createLoader,
  type LoadedInterpreter,
  type LoaderOptions,
  LoadingStopped,
  type InterpreterRequest,
} from "./load.ts";
import { createUnbilledTime } from "./unbilled-time.ts";

export type Taken = {
  /** True when this version's interpreter was loaded already. */
  warm: boolean;
  /** What the agent's author should know of how the agent is run. */
  note: string | null;
  run(): AgentProcess;
  /** To be called after the run has exited. */
  giveBack(): void;
};

export type InterpreterPool = {
  /**
   * Returns an interpreter for one run. No other owner's and no other version's run was ever executed in it. Rejects with
   * `SandboxUnavailable`, or when `signal` aborts; with `LoadingStopped` when the code was being loaded then.
   */
  take(wanted: InterpreterRequest): Promise<Taken>;
  close(): void;
};

/** Starting a process holds the worker up. It waits until the end of the run before is published. */
const afterEndMs = 5;

/**
 * Interpreters by owner and agent version, which have the version's code loaded. One that can execute several runs executes
 * them one after another. For one that can't, another is loaded when its run has ended. Code that can't be loaded ahead is
 * loaded by each run. An `isolated` run has an interpreter of its own, which ends with it. Idle interpreters wait in `idle`.
 */
export function createInterpreterPool(options: LoaderOptions & { idle: IdleCache }): InterpreterPool {
  const idle = options.idle.shelf<LoadedInterpreter>();
  const loader = createLoader(options);
  const unbilled = createUnbilledTime();

  async function takeIdle(wanted: InterpreterRequest): Promise<LoadedInterpreter | null> {
    const found = await idle.take(loader.keyOf(wanted), wanted.signal);
    if (!found || loader.suits(found, wanted)) return found;
    found.interpreter.kill();
    return null;
  }

  const charge = ({ key, interpreter }: LoadedInterpreter): void => unbilled.add(key, interpreter.unbilledMs());

  /** Loads the interpreter of the version's next run, in no more time than a run has. */
  function loadNext(wanted: InterpreterRequest): void {
    if (!loader.mayPreload(wanted)) return;
    const dropped = new AbortController();
    const signal = AbortSignal.any([dropped.signal, AbortSignal.timeout(wanted.request.resources.timeout_ms)]);
    const ready = sleep(afterEndMs, undefined, { signal: dropped.signal })
      .then(() => loader.load({ ...wanted, signal }))
      .then(
        ({ interpreter, spentMs }) => {
          unbilled.add(interpreter.key, spentMs);
          return interpreter;
        },
        (error: unknown) => {
          if (error instanceof LoadingStopped) unbilled.add(loader.keyOf(wanted), error.spentMs);
          return null;
        },
      );
    const kill = (): void => {
      dropped.abort();
      void ready.then((loaded) => loaded?.interpreter.kill());
    };
    idle.put({ key: loader.keyOf(wanted), owner: wanted.request.user_id, ready, kill, charge });
  }

  return {
    async take(wanted) {
      const isolated = wanted.request.runtime_mode === "isolated";
      const found = isolated ? null : await takeIdle(wanted);
      const {
        interpreter: loaded,
        fault,
        spentMs,
      } = found ? { interpreter: found, fault: null, spentMs: 0 } : await loader.load(wanted);
      const { kill, settled, run } = loaded.interpreter;
      return {
        warm: found !== null,
        note: fault ? `Each run loads the agent's code anew, because ${fault}.` : null,
        run: () => addCpuTime(run(wanted.request), spentMs + unbilled.take(loaded.key)),
        giveBack() {
          if (isolated || !settled) {
            kill();
            return loadNext(wanted);
          }
          const ready = settled().then((isReady) => {
            if (isReady) return loaded;
            charge(loaded);
            return null;
          });
          idle.put({ key: loaded.key, owner: wanted.request.user_id, ready, kill, charge });
        },
      };
    },
    close() {
      loader.close();
      options.idle.close();
    },
  };
}

/** Charges a run with CPU time that the version's code took before it. */
function addCpuTime(run: AgentProcess, ms: number): AgentProcess {
  if (ms === 0) return run;
  return { ...run, exited: run.exited.then((exit) => ({ ...exit, cpu_ms: (exit.cpu_ms ?? 0) + ms })) };
}
