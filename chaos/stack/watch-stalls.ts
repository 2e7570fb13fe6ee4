/** A time in which nothing on this machine got on, in milliseconds of the epoch. */
export type Stall = { from: number; to: number };

const tickMs = 50;
/** An idle machine is late by a few milliseconds. */
const lateMs = 250;

/** Notes when a timer of this process comes late, since those of the processes that it watches then do as well. */
export function watchStalls(): { stalls: readonly Stall[]; close(): void } {
  const stalls: Stall[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > tickMs + lateMs) stalls.push({ from: last, to: now });
    last = now;
  }, tickMs);
  return { stalls, close: () => clearInterval(timer) };
}
