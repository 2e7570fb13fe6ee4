import { setTimeout as sleep } from "node:timers/promises";

/** Rolls up all half hours and days that are over. Past runs that were written at once would be rolled up during the measurement. */
export async function rollUp(url: string, signal: AbortSignal): Promise<void> {
  for (let left = true; left;) {
    const answer = await fetch(`${url}/v1/internal/jobs/rollup-analytics`, { method: "POST", signal });
    // The worker may be executing the same job just now.
    if (answer.status === 409) await sleep(500, undefined, { signal });
    else {
      const { result } = (await answer.json()) as { result: { half_hours: number; days: number } };
      left = result.half_hours + result.days > 0;
    }
  }
}
