import { setTimeout as sleep } from "node:timers/promises";

/** One run's part of what this process, and all that its events go through, can do. */
export type LoopShare = {
  /**
   * After so many milliseconds of work for the run, which has sent so much in all: when it has had its turn, waits as long as
   * it is the others'.
   */
  spend(ms: number, sent: Sent): Promise<void>;
  leave(): void;
};
/** Events, and characters in all of them. */
export type Sent = { events: number; length: number };

/** How long the work for one run may hold the event loop before others are let in. */
const turnMs = 2;
/** What an event costs behind this process, in Redis, Postgres and an API: by itself, and for each of its characters. */
const eventMs = 0.1;
const characterMs = 0.000_15;
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
      let before: Sent = { events: 0, length: 0 };
      const share: LoopShare = {
        async spend(ms, sent) {
          const behind = (sent.events - before.events) * eventMs + (sent.length - before.length) * characterMs;
          before = sent;
          spent += Math.min(ms, longestMs) + behind;
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
