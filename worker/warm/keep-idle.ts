import { isBusyWhileIdle } from "./idle-allowance.ts";
import type { Interpreter } from "./interpreter.ts";

/** An interpreter that belongs to the version and owner of `key`. */
export type Home = {
  key: string;
  interpreter: Interpreter;
  /** Names of variables that its code asked for while it was loaded. */
  envRead: string[];
  /** The memory that it held when it was weighed last. */
  bytes: number;
};

/** A home that is being made ready; `ready` gives null when it came to nothing. */
export type Coming = {
  key: string;
  owner: string;
  ready: Promise<Home | null>;
  kill: () => void;
  /** Called before `kill` when it has worked while it had no run. */
  charge: (home: Home) => void;
};

export type IdleInterpreters = {
  /** Takes out the one that was kept last, when it is ready; null when there is none. Rejects when `signal` aborts: it stays then. */
  take(key: string, signal: AbortSignal): Promise<Home | null>;
  keep(coming: Coming): void;
  close(): void;
};

/** `home`: null while it is made ready. `first`: how it was when it was first weighed while idle. */
type Idle = {
  coming: Coming;
  timer: NodeJS.Timeout;
  home: Home | null;
  first: { cpu_ms: number; at: number } | null;
};

const idleMs = 300_000;
const weighMs = 1_000;
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
    const now = performance.now();
    one.home.bytes = memory_bytes;
    one.first ??= { cpu_ms, at: now };
    const isBusy = isBusyWhileIdle(cpu_ms - one.first.cpu_ms, now - one.first.at);
    if (isBusy) one.coming.charge(one.home);
    if (isBusy || memory_bytes > memoryBytes * largestShare) drop(one);
  }

  function makeRoom(): void {
    const held = new Map<string, number>();
    let sum = 0;
    for (const { coming, home } of idle) {
      const bytes = home?.bytes ?? 0;
      held.set(coming.owner, (held.get(coming.owner) ?? 0) + bytes);
      sum += bytes;
    }
    if (sum <= memoryBytes) return;
    while (sum > memoryBytes) {
      const [most] = [...held].toSorted(([, a], [, b]) => b - a);
      const oldest = most && [...idle].find(({ coming, home }) => coming.owner === most[0] && home);
      if (!most || !oldest?.home) return;
      drop(oldest);
      sum -= oldest.home.bytes;
      held.set(most[0], most[1] - oldest.home.bytes);
    }
  }

  function settle(one: Idle, home: Home | null): void {
    if (!idle.has(one)) return;
    if (home === null) return drop(one);
    one.home = home;
    if (home.bytes > 0) return;
    weigh(one);
    makeRoom();
  }

  function keep(coming: Coming): void {
    if (closed || memoryBytes === 0) return coming.kill();
    const timer = setTimeout(() => drop(one), idleMs).unref();
    const one: Idle = { coming, timer, home: null, first: null };
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
