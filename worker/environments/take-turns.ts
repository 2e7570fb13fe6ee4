type Waiting = { begin: () => void };
type TurnLimits = { atOnce: number; perOwner: number };

/** Work that waits for its turn. */
export type Turns = {
  /**
   * Starts `work` when fewer than the limits are under way, and settles as it does. Among owners that wait, the one whose
   * work was started longest ago is next. Rejects with the signal's reason when `signal` aborts before the start.
   */
  run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

/** Limits how much is under way, in all and of one owner, so that no owner's work keeps the others' waiting. */
export function takeTurns({ atOnce, perOwner }: TurnLimits): Turns {
  /** Owners that wait; the one that was served last comes last. */
  const queues = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  let total = 0;

  function next(): void {
    if (total >= atOnce) return;
    const found = [...queues].find(([owner]) => (running.get(owner) ?? 0) < perOwner);
    if (!found) return;
    const [owner, queue] = found;
    const first = queue.shift();
    queues.delete(owner);
    if (queue.length > 0) queues.set(owner, queue);
    first?.begin();
    next();
  }
  function leave(owner: string, one: Waiting): void {
    const queue = queues.get(owner)?.filter((other) => other !== one) ?? [];
    if (queue.length === 0) queues.delete(owner);
    else queues.set(owner, queue);
  }
  function count(owner: string, change: 1 | -1): void {
    total += change;
    const now = (running.get(owner) ?? 0) + change;
    if (now === 0) running.delete(owner);
    else running.set(owner, now);
  }

  return {
    async run(owner, signal, work) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => {
          leave(owner, one);
          reject(signal.reason);
        };
        const one: Waiting = {
          begin: () => {
            signal.removeEventListener("abort", stop);
            count(owner, 1);
            resolve();
          },
        };
        signal.addEventListener("abort", stop, { once: true });
        queues.set(owner, [...(queues.get(owner) ?? []), one]);
        next();
      });
      try {
        return await work();
      } finally {
        count(owner, -1);
        next();
      }
    },
  };
}
