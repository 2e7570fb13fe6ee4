import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

/** What this process noticed of itself meanwhile. */
export type Noticed = {
  /** The longest time, in ms, in which its event loop did not turn though it had a processor. */
  blockedMs: number;
  /** By how many MB its memory grew at most. */
  grownMb: number;
};

const tickMs = 5;
const weighEvery = 10;
const MB = 1024 * 1024;

/**
 * Watches this process's event loop and memory. What a crowded machine keeps it waiting for a processor is not counted as
 * a block: the kernel tells that time (/proc/<pid>/task/<tid>/schedstat, second number).
 */
export function watchWorker(): { start(): void; stop(): Noticed; close(): void } {
  const found: Noticed = { blockedMs: 0, grownMb: 0 };
  let before = { at: performance.now(), waited: readWaited() };
  let ticks = 0;
  let rss = process.memoryUsage.rss();
  const look = (): void => {
    const now = { at: performance.now(), waited: readWaited() };
    const blocked = now.at - before.at - (now.waited - before.waited) - tickMs;
    found.blockedMs = Math.max(found.blockedMs, blocked);
    before = now;
    if (ticks++ % weighEvery === 0) found.grownMb = Math.max(found.grownMb, (process.memoryUsage.rss() - rss) / MB);
  };
  const timer = setInterval(look, tickMs);
  return {
    start() {
      before = { at: performance.now(), waited: readWaited() };
      rss = process.memoryUsage.rss();
      Object.assign(found, { blockedMs: 0, grownMb: 0 });
    },
    stop() {
      look();
      return { ...found };
    },
    close: () => clearInterval(timer),
  };
}

/** For how many ms the main thread stood in a processor's queue; 0 where the kernel doesn't say. */
function readWaited(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
