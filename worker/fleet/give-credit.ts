import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerCredits } from "../../shared/platform/queue/worker-credits.ts";

/** A slot that is free for this long goes to whoever accepts a run; until then the queue's next run may take it. */
const settleMs = 10;
/** Whoever took a credit commits its run within this time, unless it died. */
const acceptMs = 1_000;
/** How many looks in a row must find a credit missing, until it counts as lost. */
const looksUntilLost = 10;

/** Keeps as many of a worker's credits in Redis as it has free slots. */
export type CreditGiver = {
  /** To be called when slots may have become free. */
  offer(): void;
  /** Takes credits back, so that `count` slots are free for runs of the queue. */
  makeRoom(count: number): Promise<void>;
  /** To be called when a credit was used: a run was granted. */
  used(): void;
  /** Compares with Redis, once a second. Returns whether a credit may have been taken for a run that this worker has not heard of yet. */
  look(): Promise<boolean>;
  /** Takes all credits back, and gives none any more. Resolves when those that were taken before were used, or seem lost. */
  stop(): Promise<void>;
};

type Options = { workerId: string; credits: WorkerCredits; free: () => number };

export function createCreditGiver({ workerId, credits, free }: Options): CreditGiver {
  /** Credits that are given, and neither used nor taken back. */
  let given = 0;
  let stopped = false;
  let onAllUsed = (): void => {};
  let timer: NodeJS.Timeout | null = null;
  /** The fewest missing credits of each of the last looks. */
  let missing: number[] = [];

  function give(): void {
    timer = null;
    const count = free() - given;
    if (stopped || count <= 0) return;
    given += count;
    credits.give(workerId, count).catch(() => {
      given = Math.max(0, given - count);
    });
  }

  return {
    offer() {
      if (timer === null && !stopped) timer = setTimeout(give, settleMs).unref();
    },
    async makeRoom(count) {
      const lacking = Math.min(given, given + count - free());
      if (lacking <= 0) return;
      const taken = await credits.takeBack(workerId, lacking).catch(() => 0);
      given = Math.max(0, given - taken);
    },
    used() {
      given = Math.max(0, given - 1);
      if (given === 0) onAllUsed();
    },
    async look() {
      this.offer();
      if (given === 0) return false;
      const left = await credits.refresh(workerId).catch(() => "silent" as const);
      // Redis is away, so a credit may have been taken without a message.
      if (left === "silent") return true;
      // They are void: this worker was silent, or Redis has lost them. Some may have been taken before.
      if (left === null) given = 0;
      missing = [...missing, Math.max(0, given - (left ?? 0))].slice(-looksUntilLost);
      if (missing.length === looksUntilLost) {
        // Whoever took them died before it committed a run.
        given = Math.max(0, given - Math.min(...missing));
        missing = [];
      }
      return left === null || (missing.at(-1) ?? 0) > 0;
    },
    async stop() {
      stopped = true;
      given -= await credits.takeBack(workerId, given).catch(() => 0);
      const allUsed = new Promise<void>((resolve) => (onAllUsed = resolve));
      if (given > 0) await Promise.race([allUsed, sleep(acceptMs, undefined, { ref: false })]);
      await credits.forget(workerId).catch(() => undefined);
    },
  };
}
