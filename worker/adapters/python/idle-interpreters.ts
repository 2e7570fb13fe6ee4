import type { Interpreter } from "./interpreter.ts";

/** An interpreter that belongs to the versions and owner of `key`. */
export type Home = {
  key: string;
  interpreter: Interpreter;
  /** Names of variables that its code asked for while it was loaded. */
  envRead: string[];
  /** The memory that it holds with its code loaded. */
  bytes: number;
};

export type IdleInterpreters = {
  /** Takes out the one that was used last, when it is ready; null when there is none. */
  take(key: string): Promise<Home | null>;
  /** Keeps one that is still being cleaned. */
  keep(home: Home): void;
  close(): void;
};

type Idle = { home: Home; timer: NodeJS.Timeout; clean: Promise<boolean> };

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
    held -= one.home.bytes;
  }

  function drop(one: Idle): void {
    takeOut(one);
    one.home.interpreter.kill();
  }

  return {
    async take(key) {
      for (;;) {
        const found = [...idle].findLast(({ home }) => home.key === key);
        if (!found) return null;
        takeOut(found);
        if ((await found.clean) && !found.home.interpreter.isGone()) return found.home;
      }
    },
    keep(home) {
      const { interpreter } = home;
      if (closed) return interpreter.kill();
      const clean = interpreter.settled();
      const timer = setTimeout(() => drop(one), idleMs).unref();
      const one: Idle = { home, timer, clean };
      idle.add(one);
      held += home.bytes;
      void clean.then((ready) => ready || drop(one));
      for (const oldest of idle) {
        if (held <= memoryBytes) break;
        drop(oldest);
      }
    },
    close() {
      closed = true;
      for (const one of idle) drop(one);
    },
  };
}
