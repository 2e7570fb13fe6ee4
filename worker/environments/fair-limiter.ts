type Waiting = { begin: () => void };
type FairLimits = { atOnce: number; perOwner: number };

export type FairLimiter = {
  /**
   * Starts `work` when fewer than the limits are under way, and settles as it does. Among owners that wait, the one whose
   * work was started longest ago is next. Rejects with the signal's reason when `signal` aborts before the start.
   */
  run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

/** For how many owners the order of service is remembered. Far fewer owners wait at once. */
const mostRemembered = 10_000;

/** Limits how much work is under way, in all and for one owner, so that no owner's work blocks the others'. */
export function createFairLimiter({ atOnce, perOwner }: FairLimits): FairLimiter {
  const queues = new Map<string, Waiting[]>();
  /** Owners, the longest not served first. Owners that were never served are not in it, and come before all of them. */
  const served = new Set<string>();
  const running = new Map<string, number>();
  let total = 0;

  function next(): void {
    if (total >= atOnce) return;
    const mayBegin = (owner: string): boolean => queues.has(owner) && (running.get(owner) ?? 0) < perOwner;
    const owner = [...queues.keys()].find((one) => !served.has(one) && mayBegin(one)) ?? [...served].find(mayBegin);
    if (owner === undefined) return;
    const [first, ...others] = queues.get(owner) ?? [];
    if (others.length === 0) queues.delete(owner);
    else queues.set(owner, others);
    noteServed(served, owner);
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

function noteServed(served: Set<string>, owner: string): void {
  served.delete(owner);
  served.add(owner);
  const [oldest] = served;
  if (served.size > mostRemembered && oldest !== undefined) served.delete(oldest);
}
