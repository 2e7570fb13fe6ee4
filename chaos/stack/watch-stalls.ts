import { availableParallelism, loadavg } from "node:os";

/** A time in which nothing on this machine got on, or everything slowly, in milliseconds of the epoch. */
export type Stall = { from: number; to: number };

const tickMs = 50;
/** An idle machine is late by a few milliseconds. */
const lateMs = 250;
/** Of processes that want to run, for each core. The harness by itself makes for two or three. */
const crowd = 4;

/**
 * Notes when a timer of this process comes late, or so many other processes want the machine that those of the stack must
 * be late: such times say nothing about how soon the stack does something.
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
