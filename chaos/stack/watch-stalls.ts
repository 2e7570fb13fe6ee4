import { availableParallelism, loadavg } from "node:os";

/** A time, in epoch ms, in which this machine was stalled or crowded. */
export type Stall = { from: number; to: number };

const tickMs = 50;
/** A timer that is this late means a stall. On an idle machine timers are late by a few milliseconds. */
const lateMs = 250;
/** The load per core from which the machine counts as crowded. This test alone makes a load of two or three. */
const crowd = 4;

/**
 * Records when a timer of this process comes late, and when so many processes want to run that the stack's must be late: such
 * times say nothing about how fast the stack is.
 */
export function watchStalls(): { stalls: readonly Stall[]; close(): void } {
  const stalls: Stall[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const isCrowded = (loadavg()[0] ?? 0) > crowd * availableParallelism();
    if (now - last > tickMs + lateMs || isCrowded) note(stalls, { from: last, to: now });
    last = now;
  }, tickMs);
  return { stalls, close: () => clearInterval(timer) };
}

function note(stalls: Stall[], next: Stall): void {
  const before = stalls.at(-1);
  if (before?.to === next.from) before.to = next.to;
  else stalls.push(next);
}
