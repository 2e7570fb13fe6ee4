import type { Interpreter } from "./interpreter.ts";

/** An interpreter that belongs to the versions and owner of `key`. */
export type Home = {
  key: string;
  interpreter: Interpreter;
  /** Names of variables that its code asked for while it was loaded. */
  envRead: string[];
};

export type IdleInterpreters = {
  /** Takes out the one that was used last; null when there is none. */
  take(key: string): Home | null;
  keep(home: Home): void;
  close(): void;
};

type Idle = Home & { bytes: number; timer: NodeJS.Timeout };

const idleMs = 300_000;

/** Keeps interpreters between runs, for five minutes at most; beyond `memoryBytes` in all the least recently used go. */
export function keepIdle(memoryBytes: number): IdleInterpreters {
  /** Least recently used first. */
  const idle = new Set<Idle>();
  let held = 0;
  let closed = false;

  function takeOut(one: Idle): Idle {
    idle.delete(one);
    clearTimeout(one.timer);
    held -= one.bytes;
    return one;
  }

  return {
    take(key) {
      const found = [...idle].findLast((one) => one.key === key);
      return found ? takeOut(found) : null;
    },
    keep(home) {
      if (closed) return home.interpreter.kill();
      const bytes = home.interpreter.memoryBytes();
      const timer = setTimeout(() => takeOut(one).interpreter.kill(), idleMs).unref();
      const one: Idle = { ...home, bytes, timer };
      idle.add(one);
      held += bytes;
      for (const oldest of idle) {
        if (held <= memoryBytes) break;
        takeOut(oldest).interpreter.kill();
      }
    },
    close() {
      closed = true;
      for (const one of idle) takeOut(one).interpreter.kill();
    },
  };
}
