import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** Somebody else's honest runs beside an attack. */
export type Beside = { runs: number; failed: string[]; slowestMs: number };

const pauseMs = 15;

/** Has `run` done again and again until it is asked how that went. `run` gives what was wrong, or null. */
export function keepRunning(run: () => Promise<string | null>): () => Promise<Beside> {
  const beside: Beside = { runs: 0, failed: [], slowestMs: 0 };
  let working = true;
  const over = (async () => {
    while (working) {
      const from = performance.now();
      const wrong = await run().catch((error: unknown) => String(error));
      beside.runs += 1;
      beside.slowestMs = Math.max(beside.slowestMs, performance.now() - from);
      if (wrong !== null) beside.failed.push(wrong);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    working = false;
    await over;
    return beside;
  };
}
