import type { Interpreter } from "./interpreter.ts";

/** An interpreter that belongs to the version and owner of `key`. */
export type Home = {
  key: string;
  interpreter: Interpreter;
  /** Names of variables that its code asked for while it was loaded. */
  envRead: string[];
};

/** A home that is being made ready; `ready` gives null when it came to nothing. */
export type Coming = { key: string; owner: string; ready: Promise<Home | null>; kill: () => void };

export type IdleInterpreters = {
  /** Takes out the one that was kept last, when it is ready; null when there is none. Rejects when `signal` aborts: it stays then. */
  take(key: string, signal: AbortSignal): Promise<Home | null>;
  keep(coming: Coming): void;
  close(): void;
};

/** `home`: null while it is made ready. `bytes`, `cpu_ms`: as weighed last, and when it became idle at `since`. */
type Idle = { coming: Coming; timer: NodeJS.Timeout; home: Home | null; bytes: number; cpu_ms: number; since: number };

const idleMs = 300_000;
const weighMs = 1_000;
/** What code may take while it has no run: what an interpreter does by itself is far below it. */
const idleCpuMs = { atOnce: 250, perSecond: 10 };
/** The part of the whole that one of them may hold. */
const largestShare = 1 / 4;

/**
 * Keeps interpreters between runs, for five minutes at most. The author's code is in them, so they are weighed again and
 * again: one that is at work while it has no run, or that holds a quarter of `memoryBytes`, goes. Beyond `memoryBytes` in all
 * the least recently used go of the owner who holds most, so nobody's interpreters push out another owner's few.
 */
export function keepIdle(memoryBytes: number): IdleInterpreters {
  /** Least recently used first. */
  const idle = new Set<Idle>();
  let closed = false;
  const weighing = setInterval(() => {
    for (const one of idle) weigh(one);
    makeRoom();
  }, weighMs).unref();

  function takeOut(one: Idle): void {
    idle.delete(one);
    clearTimeout(one.timer);
  }

  function drop(one: Idle): void {
    takeOut(one);
    one.coming.kill();
  }

  function weigh(one: Idle): void {
    if (one.home === null) return;
    const { cpu_ms, memory_bytes } = one.home.interpreter.usage();
    one.bytes = memory_bytes;
    const allowedMs = idleCpuMs.atOnce + (idleCpuMs.perSecond * (performance.now() - one.since)) / 1_000;
    if (cpu_ms - one.cpu_ms > allowedMs || memory_bytes > memoryBytes * largestShare) drop(one);
  }

  function makeRoom(): void {
    const held = new Map<string, number>();
    let sum = 0;
    for (const { coming, bytes } of idle) {
      held.set(coming.owner, (held.get(coming.owner) ?? 0) + bytes);
      sum += bytes;
    }
    while (sum > memoryBytes) {
      const [most] = [...held].toSorted(([, a], [, b]) => b - a);
      const oldest = most && [...idle].find(({ coming, bytes }) => coming.owner === most[0] && bytes > 0);
      if (!oldest) return;
      drop(oldest);
      sum -= oldest.bytes;
      held.set(most[0], most[1] - oldest.bytes);
    }
  }

  function settle(one: Idle, home: Home | null): void {
    if (!idle.has(one)) return;
    if (home === null) return drop(one);
    one.home = home;
    one.cpu_ms = home.interpreter.usage().cpu_ms;
    one.since = performance.now();
    weigh(one);
    makeRoom();
  }

  function keep(coming: Coming): void {
    if (closed || memoryBytes === 0) return coming.kill();
    const timer = setTimeout(() => drop(one), idleMs).unref();
    const one: Idle = { coming, timer, home: null, bytes: 0, cpu_ms: 0, since: 0 };
    idle.add(one);
    void coming.ready.then((home) => settle(one, home));
  }

  return {
    async take(key, signal) {
      signal.throwIfAborted();
      const aborted = new Promise<null>((resolve) => {
        signal.addEventListener("abort", () => resolve(null), { once: true });
      });
      for (;;) {
        const found = [...idle].findLast(({ coming }) => coming.key === key);
        if (!found) return null;
        takeOut(found);
        const home = await Promise.race([found.coming.ready, aborted]);
        if (signal.aborted) keep(found.coming);
        signal.throwIfAborted();
        if (home && !home.interpreter.isGone()) return home;
      }
    },
    keep,
    close() {
      closed = true;
      clearInterval(weighing);
      for (const one of idle) drop(one);
    },
  };
}
