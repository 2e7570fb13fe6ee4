/** How an owner's tasks are held back. */
export type TurnLimits = {
  /** Tasks of one owner that may wait. */
  waiting: number;
  /** After so many that ran out of time within `windowMs`, the owner's tasks are refused until the oldest is that old. */
  late: number;
  windowMs: number;
};

export type Turns<Task> = {
  /** Takes a task in. Returns why it is refused, or null. */
  add(owner: string, task: Task, now: number): "busy" | "slow" | null;
  /** Returns the next task: one of each owner at a time, owners in turn. Undefined: none may begin now. */
  next(): { owner: string; task: Task } | undefined;
  /** Says that an owner's task is over. Returns those of its tasks that are refused now, since it ran out of time too often. */
  done(owner: string, wasLate: boolean, now: number): Task[];
};

/** Decides whose task is next. Times are in ms of any clock that only goes forward. */
export function createTurns<Task>({ waiting, late, windowMs }: TurnLimits): Turns<Task> {
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
        // Behind all the others.
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
