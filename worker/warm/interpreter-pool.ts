import { setTimeout as sleep } from "node:timers/promises";
import type { AgentProcess } from "../sandbox/process.ts";
import type { Home, IdleInterpreters } from "./keep-idle.ts";
import { createDebts } from "./debts.ts";
import { type HomeOptions, LoadingStopped, makeHomes, type Wanted } from "./make-homes.ts";

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
   * `SandboxUnavailable`, or when `signal` aborts; with `LoadingStopped` when its code was at work then.
   */
  take(wanted: Wanted): Promise<Taken>;
  close(): void;
};

/** Starting a process holds the worker up: not before the run that has ended is told so. */
const afterEndMs = 5;

/**
 * Interpreters by owner and agent version, which have the version's code loaded. One that can play several runs plays them
 * one after another; one that can't is followed by another that is loaded when its run has ended. Code that can't be
 * loaded ahead is loaded by each run. An `isolated` run has an interpreter to itself, which goes with it. They wait in `idle`.
 */
export function createInterpreterPool(options: HomeOptions & { idle: IdleInterpreters }): InterpreterPool {
  const { idle } = options;
  const homes = makeHomes(options);
  const debts = createDebts();

  async function takeIdle(wanted: Wanted): Promise<Home | null> {
    const home = await idle.take(homes.keyOf(wanted), wanted.signal);
    if (!home || homes.suits(home, wanted)) return home;
    home.interpreter.kill();
    return null;
  }

  const charge = ({ key, interpreter }: Home): void => debts.add(key, interpreter.unbilledMs());

  /** The next run's home, made while nobody waits for it, in no more time than a run has. */
  function prepare(wanted: Wanted): void {
    if (!homes.mayPreload(wanted)) return;
    const given = new AbortController();
    const signal = AbortSignal.any([given.signal, AbortSignal.timeout(wanted.request.resources.timeout_ms)]);
    const ready = sleep(afterEndMs, undefined, { signal: given.signal })
      .then(() => homes.make({ ...wanted, signal }))
      .then(
        ({ home, spentMs }) => {
          debts.add(home.key, spentMs);
          return home;
        },
        (error: unknown) => {
          if (error instanceof LoadingStopped) debts.add(homes.keyOf(wanted), error.spentMs);
          return null;
        },
      );
    const kill = (): void => {
      given.abort();
      void ready.then((home) => home?.interpreter.kill());
    };
    idle.keep({ key: homes.keyOf(wanted), owner: wanted.request.user_id, ready, kill, charge });
  }

  return {
    async take(wanted) {
      const isolated = wanted.request.runtime_mode === "isolated";
      const found = isolated ? null : await takeIdle(wanted);
      const { home, fault, spentMs } = found ? { home: found, fault: null, spentMs: 0 } : await homes.make(wanted);
      const { kill, settled, run } = home.interpreter;
      return {
        warm: found !== null,
        note: fault ? `Each run loads the agent's code anew, since ${fault}.` : null,
        run: () => chargeMore(run(wanted.request), spentMs + debts.take(home.key)),
        giveBack() {
          if (!isolated && settled)
            return idle.keep({
              key: home.key,
              owner: wanted.request.user_id,
              ready: settled().then((isReady) => {
                if (isReady) return home;
                charge(home);
                return null;
              }),
              kill,
              charge,
            });
          kill();
          prepare(wanted);
        },
      };
    },
    close() {
      homes.close();
      idle.close();
    },
  };
}

/** Adds processor time that the version's code took before this run. */
function chargeMore(run: AgentProcess, ms: number): AgentProcess {
  if (ms === 0) return run;
  return { ...run, exited: run.exited.then((exit) => ({ ...exit, cpu_ms: (exit.cpu_ms ?? 0) + ms })) };
}
