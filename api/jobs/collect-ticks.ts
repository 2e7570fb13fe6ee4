import { setImmediate as yieldToOthers } from "node:timers/promises";

/** Other requests have the event loop after this much work. */
const turnMs = 5;

/** Returns the first `most` ticks. */
export async function collectTicks(ticks: Iterable<Date>, most: number): Promise<Date[]> {
  const found: Date[] = [];
  let turn = performance.now();
  if (most === 0) return found;
  for (const tick of ticks) {
    found.push(tick);
    if (found.length === most) break;
    if (performance.now() - turn < turnMs) continue;
    await yieldToOthers();
    turn = performance.now();
  }
  return found;
}
