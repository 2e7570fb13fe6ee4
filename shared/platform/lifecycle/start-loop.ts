import { channel } from "node:diagnostics_channel";
import type { Log } from "../log.ts";
import { errorText } from "../error-text.ts";

export type Loop = { close(): Promise<void> };

/** A call of a loop's duty that is over. */
export type LoopTurn = { name: string; isFailed: boolean };

const turns = channel("runfleet:loop");

/** Calls `listener` with every turn of this process' loops, and once with each loop that starts. */
export const onLoop = (listener: (turn: LoopTurn) => void): void =>
  turns.subscribe((turn) => listener(turn as LoopTurn));

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
          .catch((error: unknown) => {
            turns.publish({ name, isFailed: true } satisfies LoopTurn);
            log.warn({ duty: name, err: errorText(error) }, "a periodic duty failed; it is tried again");
          })
          .finally(next);
      },
      intervalMs * (0.9 + Math.random() * 0.2),
    );
  }
  turns.publish({ name, isFailed: false } satisfies LoopTurn);
  next();
  return {
    async close() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
