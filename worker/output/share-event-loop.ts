import { setTimeout as sleep } from "node:timers/promises";

/** One run's share of the event loop, and of the stores that its events go through. */
export type LoopShare = {
  /**
   * To be called after `ms` milliseconds of work for the run, which has sent `sent` since its start. Waits when the run has
   * used its time slice, so that other runs get theirs.
   */
  spend(ms: number, sent: OutputVolume): Promise<void>;
  leave(): void;
};
/** How many events a run has sent, how many of them by themselves rather than with others, and how many characters in all. */
export type OutputVolume = { events: number; hurried: number; length: number };

/** How long the work for one run may take before other runs get the event loop. */
const sliceMs = 2;
/** What an event costs outside of this process, in Redis, Postgres and an API: for each event, and for each character. */
const eventMs = 0.1;
const characterMs = 0.000_4;
/** Longer work was mostly a wait for a store, and counts as this much. */
const longestMs = 100;
/** A run counts as busy for this long after it has used up a time slice. */
const busyMs = 200;

/**
 * Shares the event loop among runs, since agents decide how much there is to read. n busy runs together get n of n + 1 parts
 * of the time: a single one gets half. The last part is always left for the work for all other runs.
 */
export function createLoopShares(): { join(): LoopShare } {
  /** When each run last used up a time slice. */
  const usedUp = new Map<LoopShare, number>();
  return {
    join() {
      let spent = 0;
      let before: OutputVolume = { events: 0, hurried: 0, length: 0 };
      const share: LoopShare = {
        async spend(ms, sent) {
          const behind = (sent.hurried - before.hurried) * eventMs + (sent.length - before.length) * characterMs;
          before = sent;
          spent += Math.min(ms, longestMs) + behind;
          if (spent < sliceMs) return;
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
