/** The limits for one owner's tasks. */
export type FairQueueLimits = {
  /** How many tasks may wait. */
  waiting: number;
  /** After this many late tasks within `windowMs`, the owner's tasks are refused until the oldest of them is that old. */
  late: number;
  windowMs: number;
};

/** A queue of tasks that serves owners in turn. */
export type FairQueue<Task> = {
  /** Adds a task. Returns why the task is refused; null when it is not. */
  add(owner: string, task: Task, now: number): "busy" | "slow" | null;
  /** Returns the next task; undefined when none may begin now. Each owner has one task under way at a time. */
  next(): { owner: string; task: Task } | undefined;
  /** To be called when a task has ended. Returns the owner's tasks that are refused now, because too many were late. */
  done(owner: string, wasLate: boolean, now: number): Task[];
};

/** `now` is in ms of any monotonic clock. */
export function createFairQueue<Task>({ waiting, late, windowMs }: FairQueueLimits): FairQueue<Task> {
  const queues = new Map<string, Task[]>();
  const busy = new Set<string>();
  const lateAt = new Map<string, number[]>();

  function isSlow(owner: string, now: number): boolean {
    const recent = (lateAt.get(owner) ?? []).filter((at) => now - at < windowMs);
    if (recent.length === 0) lateAt.delete(owner);
    else lateAt.set(owner, recent);
    return recent.length >= late;
  }

  return {
    add(owner, task, now) {
      if (isSlow(owner, now)) return "slow";
      const queue = queues.get(owner) ?? [];
      if (queue.length >= waiting) return "busy";
      queue.push(task);
      queues.set(owner, queue);
      return null;
    },
    next() {
      for (const [owner, queue] of queues) {
        if (busy.has(owner)) continue;
        const task = queue.shift();
        // The owner goes behind all others.
        queues.delete(owner);
        if (queue.length > 0) queues.set(owner, queue);
        if (task === undefined) continue;
        busy.add(owner);
        return { owner, task };
      }
      return undefined;
    },
    done(owner, wasLate, now) {
      busy.delete(owner);
      if (wasLate) lateAt.set(owner, [...(lateAt.get(owner) ?? []), now]);
      if (!isSlow(owner, now)) return [];
      const refused = queues.get(owner) ?? [];
      queues.delete(owner);
      return refused;
    },
  };
}
