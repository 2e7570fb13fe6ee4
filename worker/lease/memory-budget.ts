import type { AgentConfig } from "../../shared/schemas/agent-config.ts";

const MiB = 1024 * 1024;

/** Memory that is reserved for a run whose config has no `memory_mb`: many that only wait for a model fit. */
const usualRunBytes = 128 * MiB;

/** How much memory a run of an agent reserves. */
export const memoryOf = ({ limits }: AgentConfig): number =>
  limits?.memory_mb === undefined ? usualRunBytes : limits.memory_mb * MiB;

/** How much memory this worker's runs may reserve together. */
export type MemoryBudget = {
  /**
   * Resolves when there is room for `bytes`, in order of asking, and returns what gives them back. A run that needs more than
   * there is gets all of it, and runs alone. Null when the signal was aborted first.
   */
  reserve(bytes: number, signal: AbortSignal): Promise<(() => void) | null>;
  /** How many usual runs there is room for: at least one where nothing is reserved. */
  roomForRuns(): number;
  /** Resolves when there is room for a run. */
  untilRoom(): Promise<void>;
};

export function createMemoryBudget(total: number): MemoryBudget {
  let reserved = 0;
  const onRoom: (() => void)[] = [];
  const waiting: { bytes: number; start: () => void }[] = [];

  function startNext(): void {
    for (let next = waiting[0]; next && reserved + next.bytes <= total; next = waiting[0]) {
      waiting.shift();
      reserved += next.bytes;
      next.start();
    }
    if (roomForRuns() > 0) for (const resolve of onRoom.splice(0)) resolve();
  }

  function roomForRuns(): number {
    if (waiting.length > 0) return 0;
    return Math.max(reserved === 0 ? 1 : 0, Math.floor((total - reserved) / usualRunBytes));
  }

  return {
    async reserve(asked, signal) {
      if (asked === 0) return () => undefined;
      const bytes = Math.min(asked, total);
      const isReserved = await new Promise<boolean>((resolve) => {
        const own = { bytes, start: () => resolve(true) };
        const leave = (): void => {
          const at = waiting.indexOf(own);
          if (at < 0) return;
          waiting.splice(at, 1);
          resolve(false);
          startNext();
        };
        waiting.push(own);
        if (signal.aborted) return leave();
        signal.addEventListener("abort", leave, { once: true });
        startNext();
      });
      if (!isReserved) return null;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        reserved -= bytes;
        startNext();
      };
    },
    roomForRuns,
    untilRoom: () => (roomForRuns() > 0 ? Promise.resolve() : new Promise((resolve) => onRoom.push(resolve))),
  };
}
