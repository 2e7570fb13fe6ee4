import { type LineLog, openLineLog } from "./line-log.ts";

/** `cpu_ms` is what this waiter pays for; null where it could not be measured. */
export type Built = { cpu_ms: number | null } & ({ directory: string } | { fault: string });

/** Lines come while it is built. `done` rejects with `SandboxUnavailable`. */
export type Build = { log: AsyncIterable<string>; done: Promise<Built> };

type Waiter = { log: LineLog; finish: (built: Built) => void; fail: (error: unknown) => void };
type Work = (signal: AbortSignal, tell: (line: string) => void) => Promise<Built>;

/** One install for all who wait for it. */
export type SharedInstall = { join(signal: AbortSignal): Build };

const stopped = "The run was stopped while its requirements were installed.";

/**
 * Starts `work` for as long as somebody waits. The first who joined hears what it says; whoever waited longest when it ends
 * pays its CPU time. Who aborts leaves at once, unless nobody is left: then the work is stopped, and its end waited for.
 */
export function shareInstall(work: Work): SharedInstall {
  const controller = new AbortController();
  const waiters = new Set<Waiter>();
  let teller: Waiter | null = null;

  const settle = (act: (waiter: Waiter, isFirst: boolean) => void): void => {
    for (const [place, waiter] of [...waiters].entries()) {
      waiter.log.end();
      act(waiter, place === 0);
    }
    waiters.clear();
  };
  // After the first has joined.
  queueMicrotask(() => {
    work(controller.signal, (line) => teller?.log.push(line)).then(
      (built) => settle(({ finish }, isFirst) => finish(isFirst ? built : { ...built, cpu_ms: 0 })),
      (error: unknown) => settle(({ fail }) => fail(error)),
    );
  });

  function leave(waiter: Waiter): void {
    if (!waiters.has(waiter)) return;
    waiter.log.end();
    if (waiters.size === 1) return controller.abort();
    waiters.delete(waiter);
    waiter.finish({ cpu_ms: 0, fault: stopped });
  }

  return {
    join(signal) {
      const log = openLineLog();
      const done = new Promise<Built>((finish, fail) => {
        const waiter = { log, finish, fail };
        if (teller === null) teller = waiter;
        else log.push("Another run is installing the same requirements.");
        waiters.add(waiter);
        signal.addEventListener("abort", () => leave(waiter), { once: true });
        if (signal.aborted) leave(waiter);
      });
      // Who left doesn't look any more.
      done.catch(() => undefined);
      return { log: log.lines, done };
    },
  };
}

/** A build that was refused before it began. */
export function refusedBuild(fault: string): Build {
  const log = openLineLog();
  log.end();
  return { log: log.lines, done: Promise.resolve({ cpu_ms: 0, fault }) };
}
