import { isBusyWhileIdle } from "./idle-allowance.ts";
import type { Interpreter } from "./interpreter.ts";

/** An interpreter that belongs to the version and owner of `key`. */
export type LoadedInterpreter = {
  key: string;
  interpreter: Interpreter;
  /** Names of the variables that the code read while it was loaded. */
  envRead: string[];
  /** The memory that it held when it was last measured. */
  bytes: number;
};

/** An interpreter that is being made ready. `ready` gives null when that failed. */
export type PendingEntry = {
  key: string;
  owner: string;
  ready: Promise<LoadedInterpreter | null>;
  kill: () => void;
  /** Called before `kill` when the interpreter used CPU while it had no run. */
  charge: (loaded: LoadedInterpreter) => void;
};

export type IdleCache = {
  /**
   * Takes out the entry that was put in last, when it is ready; null when there is none. Rejects when `signal` aborts: the
   * entry then stays.
   */
  take(key: string, signal: AbortSignal): Promise<LoadedInterpreter | null>;
  put(entry: PendingEntry): void;
  close(): void;
};

/** `loaded`: null while it is made ready. `first`: what was measured first while it was idle. */
type Idle = {
  entry: PendingEntry;
  timer: NodeJS.Timeout;
  loaded: LoadedInterpreter | null;
  first: { cpu_ms: number; at: number } | null;
};

const idleMs = 300_000;
const measureMs = 1_000;
/** The part of all the memory that one interpreter may hold. */
const largestShare = 1 / 4;

/**
 * Interpreters between their runs, for five minutes at most. The author's code is in them, so they are measured every
 * second: one that uses CPU while it has no run, or that holds a quarter of `memoryBytes`, is ended. When all together hold
 * more than `memoryBytes`, the least recently used ones of the owner who holds most are ended: so nobody pushes out the few
 * interpreters of another owner.
 */
export function createIdleCache(memoryBytes: number): IdleCache {
  /** Least recently used first. */
  const entries = new Set<Idle>();
  let closed = false;
  const measuring = setInterval(() => {
    for (const idle of entries) measure(idle);
    makeRoom();
  }, measureMs).unref();

  function takeOut(idle: Idle): void {
    entries.delete(idle);
    clearTimeout(idle.timer);
  }

  function drop(idle: Idle): void {
    takeOut(idle);
    idle.entry.kill();
  }

  function measure(idle: Idle): void {
    if (idle.loaded === null) return;
    const { cpu_ms, memory_bytes } = idle.loaded.interpreter.usage();
    const now = performance.now();
    idle.loaded.bytes = memory_bytes;
    idle.first ??= { cpu_ms, at: now };
    const isBusy = isBusyWhileIdle(cpu_ms - idle.first.cpu_ms, now - idle.first.at);
    if (isBusy) idle.entry.charge(idle.loaded);
    if (isBusy || memory_bytes > memoryBytes * largestShare) drop(idle);
  }

  function makeRoom(): void {
    const held = new Map<string, number>();
    let sum = 0;
    for (const { entry, loaded } of entries) {
      const bytes = loaded?.bytes ?? 0;
      held.set(entry.owner, (held.get(entry.owner) ?? 0) + bytes);
      sum += bytes;
    }
    if (sum <= memoryBytes) return;
    while (sum > memoryBytes) {
      const [most] = [...held].toSorted(([, a], [, b]) => b - a);
      const oldest = most && [...entries].find(({ entry, loaded }) => entry.owner === most[0] && loaded);
      if (!most || !oldest?.loaded) return;
      drop(oldest);
      sum -= oldest.loaded.bytes;
      held.set(most[0], most[1] - oldest.loaded.bytes);
    }
  }

  function onReady(idle: Idle, loaded: LoadedInterpreter | null): void {
    if (!entries.has(idle)) return;
    if (loaded === null) return drop(idle);
    idle.loaded = loaded;
    if (loaded.bytes > 0) return;
    measure(idle);
    makeRoom();
  }

  function put(entry: PendingEntry): void {
    if (closed || memoryBytes === 0) return entry.kill();
    const timer = setTimeout(() => drop(idle), idleMs).unref();
    const idle: Idle = { entry, timer, loaded: null, first: null };
    entries.add(idle);
    void entry.ready.then((loaded) => onReady(idle, loaded));
  }

  return {
    async take(key, signal) {
      signal.throwIfAborted();
      const aborted = new Promise<null>((resolve) => {
        signal.addEventListener("abort", () => resolve(null), { once: true });
      });
      for (;;) {
        const found = [...entries].findLast(({ entry }) => entry.key === key);
        if (!found) return null;
        takeOut(found);
        const loaded = await Promise.race([found.entry.ready, aborted]);
        if (signal.aborted) put(found.entry);
        signal.throwIfAborted();
        if (loaded && !loaded.interpreter.isGone()) return loaded;
      }
    },
    put,
    close() {
      closed = true;
      clearInterval(measuring);
      for (const idle of entries) drop(idle);
    },
  };
}
