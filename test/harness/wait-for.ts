import { setTimeout as sleep } from "node:timers/promises";
import { timeLimit } from "./time-limit.ts";

/** Asks every 25 ms until the answer is truthy, and gives it; rejects after `timeoutMs` of a usual machine. */
export async function waitFor<T>(ask: () => Promise<T> | T, timeoutMs = 10_000): Promise<NonNullable<T>> {
  const end = performance.now() + timeLimit(timeoutMs);
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end)
      throw new Error(`Not within ${timeLimit(timeoutMs)} ms: ${ask.toString().slice(0, 200)}`);
    await sleep(25);
  }
}
