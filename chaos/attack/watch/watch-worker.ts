import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What was measured of this process meanwhile. */
export type WorkerUsage = {
  /** The longest time, in ms, that the event loop was blocked though it had a processor. */
  blockedMs: number;
  /** By how many MB the memory grew at most. Garbage that V8 has not collected yet counts up to `suspectMb`. */
  grownMb: number;
};

const tickMs = 5;
const weighEvery = 10;
const MB = 1024 * 1024;
/** Beyond this growth the garbage is collected, and what is left counts. V8 lets some 80 MB stand while it reads a flood. */
const suspectMb = 80;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Watches this process's event loop and memory. Time that the process waits for a processor on a crowded machine is not
 * counted: the kernel reports that time (/proc/<pid>/task/<tid>/schedstat, second number). Where it doesn't, no more is counted
 * than the CPU time that this process used.
 */
export function watchWorker(): { start(): void; stop(): WorkerUsage; close(): void } {
  const found: WorkerUsage = { blockedMs: 0, grownMb: 0 };
  let before = readTimes();
  let ticks = 0;
  let weighed = weigh();
  const grown = (): number => {
    const now = weigh();
    const grownMb = (now.rss - weighed.rss) / MB;
    if (grownMb <= suspectMb) return grownMb;
    collect();
    // The collection was ours.
    before = readTimes();
    return Math.max(suspectMb, (weigh().held - weighed.held) / MB);
  };
  const look = (): void => {
    const now = readTimes();
    const passed = now.at - before.at - tickMs;
    const blocked =
      now.waited === null || before.waited === null
        ? Math.min(passed, now.used - before.used)
        : passed - (now.waited - before.waited);
    found.blockedMs = Math.max(found.blockedMs, blocked);
    before = now;
    if (ticks++ % weighEvery === 0) found.grownMb = Math.max(found.grownMb, grown());
  };
  const timer = setInterval(look, tickMs);
  return {
    start() {
      collect();
      before = readTimes();
      weighed = weigh();
      Object.assign(found, { blockedMs: 0, grownMb: 0 });
    },
    stop() {
      look();
      return { ...found };
    },
    close: () => clearInterval(timer),
  };
}

/** In bytes. `held`: what V8 counts as used, which is what lives just after a collection. */
function weigh(): { rss: number; held: number } {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, held: heapUsed + external };
}

/** In ms. `waited`: how long the main thread has waited for a processor; null where the kernel doesn't report that. */
function readTimes(): { at: number; used: number; waited: number | null } {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), used: (user + system) / 1_000, waited: readWaited() };
}

function readWaited(): number | null {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[1]) / 1e6;
  } catch {
    return null;
  }
}
