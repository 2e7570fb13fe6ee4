import type { Log } from "../log.ts";

export type Loop = { close(): Promise<void> };

/** Calls `duty` again and again, `intervalMs` after the end of the last call. A call that fails is only logged. */
export function startLoop(name: string, intervalMs: number, log: Log, duty: () => Promise<void>): Loop {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function next(): void {
    if (stopped) return;
    // A fifth of jitter keeps the workers of a fleet from asking at the same time.
    timer = setTimeout(
      () => {
        running = duty()
          .catch((error: unknown) =>
            log.warn({ duty: name, err: String(error) }, "a periodic duty failed; it is tried again"),
          )
          .finally(next);
      },
      intervalMs * (0.9 + Math.random() * 0.2),
    );
  }
  next();
  return {
    async close() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
