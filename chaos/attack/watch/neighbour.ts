import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** Another user's honest runs during an attack. */
export type NeighbourRuns = { runs: number; failed: string[]; slowestMs: number };

const pauseMs = 15;

/** Calls `run` again and again, until the returned function is called for the results. `run` returns what was wrong, or null. */
export function keepRunning(run: () => Promise<string | null>): () => Promise<NeighbourRuns> {
  const neighbourRuns: NeighbourRuns = { runs: 0, failed: [], slowestMs: 0 };
  let working = true;
  const over = (async () => {
    while (working) {
      const from = performance.now();
      const wrong = await run().catch((error: unknown) => String(error));
      neighbourRuns.runs += 1;
      neighbourRuns.slowestMs = Math.max(neighbourRuns.slowestMs, performance.now() - from);
      if (wrong !== null) neighbourRuns.failed.push(wrong);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    working = false;
    await over;
    return neighbourRuns;
  };
}
