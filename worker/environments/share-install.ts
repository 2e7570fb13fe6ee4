import { type LineLog, openLineLog } from "./line-log.ts";

/** `ofWorker`: the fault is this worker's, and passes: the packages may be installed elsewhere, or later. */
export type InstallFault = { fault: string; ofWorker?: true };
/** `cpu_ms` is what this run is charged with; null where it could not be measured. */
export type InstallResult = { cpu_ms: number | null } & ({ directory: string; lock: string } | InstallFault);

/** `log` yields lines while the packages are installed. `done` rejects with `SandboxUnavailable`. */
export type RunningInstall = { log: AsyncIterable<string>; done: Promise<InstallResult> };

type Waiter = { log: LineLog; finish: (built: InstallResult) => void; fail: (error: unknown) => void };
type Work = (signal: AbortSignal, onLine: (line: string) => void) => Promise<InstallResult>;

/** One install for all runs that wait for it. */
export type SharedInstall = { join(signal: AbortSignal): RunningInstall };

const stopped = "The run was stopped while its requirements were installed.";

/**
 * Starts `work`, which goes on while a run waits for it. The run that joined first gets the log. Of the runs that wait when
 * the work ends, the one that joined first is charged with the CPU time. A run that aborts leaves at once, unless it is the
 * last one: then the work is stopped, and the run waits for its end.
 */
export function shareInstall(work: Work): SharedInstall {
  const controller = new AbortController();
  const waiters = new Set<Waiter>();
  let logged: Waiter | null = null;

  const settle = (act: (waiter: Waiter, isFirst: boolean) => void): void => {
    for (const [index, waiter] of [...waiters].entries()) {
      waiter.log.end();
      act(waiter, index === 0);
    }
    waiters.clear();
  };
  // The work starts after the first run has joined.
  queueMicrotask(() => {
    work(controller.signal, (line) => logged?.log.push(line)).then(
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
      const done = new Promise<InstallResult>((finish, fail) => {
        const waiter = { log, finish, fail };
        if (logged === null) logged = waiter;
        else log.push("Another run is installing the same requirements.");
        waiters.add(waiter);
        signal.addEventListener("abort", () => leave(waiter), { once: true });
        if (signal.aborted) leave(waiter);
      });
      // A run that has left does not await `done`.
      done.catch(() => undefined);
      return { log: log.lines, done };
    },
  };
}

/** Returns a build that was refused before it began. */
export function refusedBuild(fault: InstallFault): RunningInstall {
  const log = openLineLog();
  log.end();
  return { log: log.lines, done: Promise.resolve({ cpu_ms: 0, ...fault }) };
}
