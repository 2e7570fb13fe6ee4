import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What was measured of this process meanwhile. */
export type WorkerUsage = {
  /** The longest time, in ms, that the event loop was kept by work, as a usual machine would have done it. */
  busyMs: number;
  /** The longest time, in ms, that the event loop stood still for something else than work or a processor. */
  stoodMs: number;
  /** By how many MB the memory grew at most. Garbage that V8 has not collected yet counts up to `suspectMb`. */
  grownMb: number;
  /** How many times longer this machine takes for work than a usual one; at least 1. */
  slowness: number;
};

const tickMs = 5;
const weighEvery = 10;
const MB = 1024 * 1024;
/** Beyond this growth the garbage is collected, and what is left counts. V8 lets some 80 MB stand while it reads a flood. */
const suspectMb = 80;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Watches this process's event loop and memory. Time that the main thread waits for a processor on a crowded machine is not
 * counted: the kernel reports it (/proc/<pid>/task/<tid>/schedstat: time on a processor, time of waiting for one). Where it
 * doesn't, the CPU time of the whole process counts as work, and nothing as standing still.
 */
export function watchWorker(): { start(): void; stop(): WorkerUsage; close(): void } {
  const slowness = measureSlowness();
  const found: WorkerUsage = { busyMs: 0, stoodMs: 0, grownMb: 0, slowness };
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
    const worked = Math.min(passed, now.worked - before.worked);
    const waited = now.waited === null || before.waited === null ? passed - worked : now.waited - before.waited;
    found.busyMs = Math.max(found.busyMs, worked / slowness);
    found.stoodMs = Math.max(found.stoodMs, passed - worked - waited);
    before = now;
    if (ticks++ % weighEvery === 0) found.grownMb = Math.max(found.grownMb, grown());
  };
  const timer = setInterval(look, tickMs);
  return {
    start() {
      collect();
      before = readTimes();
      weighed = weigh();
      Object.assign(found, { busyMs: 0, stoodMs: 0, grownMb: 0 });
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

/** In ms. `worked`: on a processor. `waited`: for a processor; null where the kernel doesn't report that. */
function readTimes(): { at: number; worked: number; waited: number | null } {
  const at = performance.now();
  try {
    const [worked, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ");
    return { at, worked: Number(worked) / 1e6, waited: Number(waited) / 1e6 };
  } catch {
    const { user, system } = process.cpuUsage();
    return { at, worked: (user + system) / 1_000, waited: null };
  }
}

/** What a usual machine takes for the work of `measureSlowness`, in ms. */
const usualWorkMs = 12;

/** Returns how many times longer this machine takes for work as the event loop does it; at least 1. The quickest of eight counts. */
function measureSlowness(): number {
  const values = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `n${id}`,
    tags: ["a", "b"],
    deep: { x: id / 3 },
  }));
  const times = Array.from({ length: 8 }, () => {
    const from = performance.now();
    JSON.parse(JSON.stringify(values));
    return performance.now() - from;
  });
  return Math.max(1, Math.min(...times) / usualWorkMs);
}
