import type { Interpreter } from "./interpreter.ts";

/** An interpreter that belongs to the version and owner of `key`. */
export type Home = {
  key: string;
  interpreter: Interpreter;
  /** Names of variables that its code asked for while it was loaded. */
  envRead: string[];
  /** The memory that it holds with its code loaded. */
  bytes: number;
};

/** A home that is being made ready; `ready` gives null when it came to nothing. */
export type Coming = { key: string; ready: Promise<Home | null>; kill: () => void };

export type IdleInterpreters = {
  /** Takes out the one that was kept last, when it is ready; null when there is none. Rejects when `signal` aborts: it stays then. */
  take(key: string, signal: AbortSignal): Promise<Home | null>;
  keep(coming: Coming): void;
  close(): void;
};

type Idle = { coming: Coming; timer: NodeJS.Timeout; bytes: number };

const idleMs = 300_000;

/** Keeps interpreters between runs, for five minutes at most; beyond `memoryBytes` in all the least recently used go. */
export function keepIdle(memoryBytes: number): IdleInterpreters {
  /** Least recently used first. */
  const idle = new Set<Idle>();
  let held = 0;
  let closed = false;

  function takeOut(one: Idle): void {
    if (!idle.delete(one)) return;
    clearTimeout(one.timer);
    held -= one.bytes;
  }

  function drop(one: Idle): void {
    takeOut(one);
    one.coming.kill();
  }

  function weigh(one: Idle, home: Home | null): void {
    if (home === null) return drop(one);
    if (!idle.has(one)) return;
    one.bytes = home.bytes;
    held += home.bytes;
    for (const oldest of idle) {
      if (held <= memoryBytes) break;
      drop(oldest);
    }
  }

  function keep(coming: Coming): void {
    if (closed || memoryBytes === 0) return coming.kill();
    const timer = setTimeout(() => drop(one), idleMs).unref();
    const one: Idle = { coming, timer, bytes: 0 };
    idle.add(one);
    void coming.ready.then((home) => weigh(one, home));
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
      for (const one of idle) drop(one);
    },
  };
}
