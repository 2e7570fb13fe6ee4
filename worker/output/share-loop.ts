import { setTimeout as sleep } from "node:timers/promises";

/** One run's part of this process's time. */
export type LoopShare = {
  /** After so many milliseconds of work for the run: when it has had its turn, waits as long as it is the others'. */
  spend(ms: number): Promise<void>;
  leave(): void;
};

/** How long the work for one run may hold the event loop before others are let in. */
const turnMs = 2;
/** What is longer was mostly a wait for a store. */
const longestMs = 100;
/** A run that used up a turn within this time still has much to say. */
const busyMs = 200;

/**
 * Shares the event loop among runs: their agents decide how much there is to read. A run that alone has much to say gets half
 * of the time, n such runs get n of n + 1 parts, so that there is always one part for all that is done for the others.
 */
export function createLoopShares(): { join(): LoopShare } {
  /** When each run last used up a turn. */
  const usedUp = new Map<LoopShare, number>();
  return {
    join() {
      let spent = 0;
      const share: LoopShare = {
        async spend(ms) {
          spent += Math.min(ms, longestMs);
          if (spent < turnMs) return;
          const now = performance.now();
          usedUp.set(share, now);
          const busy = [...usedUp.values()].filter((at) => now - at < busyMs).length;
          const wait = spent * busy;
          spent = 0;
          await sleep(wait);
        },
        leave: () => void usedUp.delete(share),
      };
      return share;
    },
  };
}
