import type { Log } from "../log.ts";

export type Loop = { close(): Promise<void> };

/** Repeats a duty with `intervalMs` between the end of one turn and the start of the next; a failing turn is only logged. */
export function startLoop(name: string, intervalMs: number, log: Log, duty: () => Promise<void>): Loop {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();

  function next(): void {
    if (stopped) return;
    // A fifth of jitter keeps the workers of a fleet from asking at the same time.
    timer = setTimeout(
      () => {
        turn = duty()
          .catch((error: unknown) => log.warn({ duty: name, err: String(error) }, "a duty failed; it is repeated"))
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
      await turn;
    },
  };
}
