import { isBusyWhileIdle } from "./is-busy-while-idle.ts";
import type { Interpreter } from "./interpreter.ts";

/** A process that belongs to the version and owner of `key`. */
export type CachedProcess = {
  key: string;
  interpreter: Pick<Interpreter, "usage" | "isGone">;
  /** The memory that it held when it was last measured. */
  bytes: number;
};

/** A process that is being made ready. `ready` gives null when that failed. */
export type PendingEntry<Process extends CachedProcess> = {
  key: string;
  owner: string;
  ready: Promise<Process | null>;
  kill: () => void;
  /** Called before `kill` when the process used CPU while it had no run. */
  charge: (process: Process) => void;
};

/** The idle processes of one kind. */
export type Shelf<Process extends CachedProcess> = {
  /**
   * Takes out the entry that was put in last, when it is ready; null when there is none. Rejects when `signal` aborts: the
   * entry then stays.
   */
  take(key: string, signal: AbortSignal): Promise<Process | null>;
  put(entry: PendingEntry<Process>): void;
};

export type IdleCache = {
  /** Makes a shelf. All shelves together are held to the cache's memory. */
  shelf<Process extends CachedProcess>(): Shelf<Process>;
  close(): void;
};

/** `loaded`: null while it is made ready. `first`: what was measured first while it was idle. */
type Idle = {
  entry: Pick<PendingEntry<CachedProcess>, "key" | "owner" | "kill">;
  charge: () => void;
  timer: NodeJS.Timeout;
  loaded: CachedProcess | null;
  first: { cpu_ms: number; at: number } | null;
};

const idleMs = 300_000;
const measureMs = 1_000;
/** The part of all the memory that one interpreter may hold. */
const largestShare = 1 / 4;

/**
 * Processes between their runs, for five minutes at most. The author's code is in them, so they are measured every
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
    if (isBusy) idle.charge();
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

  function onReady(idle: Idle, loaded: CachedProcess | null): void {
    if (!entries.has(idle)) return;
    if (loaded === null) return drop(idle);
    idle.loaded = loaded;
    if (loaded.bytes > 0) return;
    measure(idle);
    makeRoom();
  }

  function shelf<Process extends CachedProcess>(): Shelf<Process> {
    const own = new WeakMap<Idle, PendingEntry<Process>>();

    function put(entry: PendingEntry<Process>): void {
      if (closed || memoryBytes === 0) return entry.kill();
      const timer = setTimeout(() => drop(idle), idleMs).unref();
      const idle: Idle = { entry, charge: () => {}, timer, loaded: null, first: null };
      entries.add(idle);
      own.set(idle, entry);
      void entry.ready.then((process) => {
        if (process) idle.charge = () => entry.charge(process);
        onReady(idle, process);
      });
    }

    return {
      async take(key, signal) {
        signal.throwIfAborted();
        const aborted = new Promise<null>((resolve) => {
          signal.addEventListener("abort", () => resolve(null), { once: true });
        });
        for (;;) {
          const found = [...entries].findLast((idle) => idle.entry.key === key && own.has(idle));
          const entry = found && own.get(found);
          if (!entry) return null;
          takeOut(found);
          const loaded = await Promise.race([entry.ready, aborted]);
          if (signal.aborted) put(entry);
          signal.throwIfAborted();
          if (loaded && !loaded.interpreter.isGone()) return loaded;
        }
      },
      put,
    };
  }

  return {
    shelf,
    close() {
      closed = true;
      clearInterval(measuring);
      for (const idle of entries) drop(idle);
    },
  };
}
