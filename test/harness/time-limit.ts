import { spawnSync } from "node:child_process";
import { readEnv } from "../../shared/platform/config/env.ts";

/** What a start of Node takes on a quiet machine, in milliseconds. */
const usualStartMs = 45;
const name = "TEST_SLOWNESS";

/**
 * Returns what a start of Node takes here and now, in milliseconds: the median of five. What a test says of the time of starting and
 * ending processes counts in these: a machine is slow at all of them, or at none.
 */
export function nodeStartMs(): number {
  const start = (): number => {
    const from = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - from;
  };
  const [, , median = usualStartMs] = Array.from({ length: 5 }, start).toSorted((a, b) => a - b);
  return median;
}

/** Returns how many times longer a start of Node takes here and now: 1 to 4. */
export const measureSlowness = (): number => Math.min(Math.max(nodeStartMs() / usualStartMs, 1), 4);

/** What processes of tests are told, so that all of them have the same limits. */
export const envOf = (slowness: number): Record<string, string> => ({ [name]: String(slowness) });

/**
 * Returns a limit of time for this machine, of one for a usual machine. Limits end what hangs. What a test says of time is not a
 * limit, and is the same everywhere.
 */
export const timeLimit = (ms: number, slowness = Number(readEnv()[name] ?? 1)): number => Math.round(ms * slowness);
