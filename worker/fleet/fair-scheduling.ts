import { areSeveralOwnersWaiting } from "../../shared/store/runs/fair-scheduling.ts";
import { findFairerRun } from "../../shared/store/runs/fair-scheduling.ts";
import type { WorkerContext } from "../context.ts";

/** A nudge takes milliseconds; one that took longer has stood in a queue. */
const backlogMs = 50;
const maxAgeMs = 100;

export type Turns = {
  /** Which run a nudge is used for: its own, unless the queue is backed up and another owner has more of a right to the slot. */
  take(runId: string, waitedMs: number): Promise<string>;
  /**
   * There are as many nudges as runs: one whose own run went ahead takes one that was passed over. Null: there is none, or
   * the nudge came at once, and was the second for its run.
   */
  makeUp(runId: string, waitedMs: number): Promise<string | null>;
};

/** Turns between owners. Where one alone waits, that is all that is asked, ten times a second. */
export function createTurns({ db, card }: Pick<WorkerContext, "db" | "card">): Turns {
  let askedAt = -Infinity;
  let several: Promise<boolean> = Promise.resolve(false);

  function severalWait(): Promise<boolean> {
    if (performance.now() - askedAt < maxAgeMs) return several;
    askedAt = performance.now();
    return (several = areSeveralOwnersWaiting(db).catch(() => false));
  }
  const fairer = (runId: string): Promise<string | null> => findFairerRun(db, runId, card.adapters).catch(() => null);

  return {
    async take(runId, waitedMs) {
      if (waitedMs < backlogMs || !(await severalWait())) return runId;
      return (await fairer(runId)) ?? runId;
    },
    makeUp: async (runId, waitedMs) => (waitedMs < backlogMs ? null : fairer(runId)),
  };
}
