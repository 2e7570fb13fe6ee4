import { setTimeout as sleep } from "node:timers/promises";

/** Asks every 25 ms until the answer is truthy, and gives it; rejects after `timeoutMs`. */
export async function waitFor<T>(ask: () => Promise<T> | T, timeoutMs = 10_000): Promise<NonNullable<T>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${ask.toString().slice(0, 200)}`);
    await sleep(25);
  }
}
