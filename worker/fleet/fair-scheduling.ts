import {
  pickFairRun,
  pickPriorityRun,
  readQueueMix,
  type QueueMix,
} from "../../shared/store/runs/queue/pick-fair-run.ts";
import type { WorkerContext } from "../context.ts";

/** A nudge takes some milliseconds; after this time it counts as one of a backed up queue. */
const backlogMs = 50;
/** How long an answer of Postgres is used again. */
const maxAgeMs = 100;

export type FairScheduler = {
  /**
   * Returns the run that a nudge is used for: the nudged run, or in a backed up queue the run of an owner with fewer running,
   * and of that owner's runs the one with the earliest turn by its priority.
   */
  pickRun(runId: string, waitedMs: number): Promise<string>;
  /**
   * Returns a run that was passed over, for a nudge whose own run was executed already: there are as many nudges as runs.
   * Returns null when no run was passed over, and for a nudge that did not wait, as that was the second one for its run.
   */
  pickPassedOver(runId: string, waitedMs: number): Promise<string | null>;
};

/**
 * Shares this worker's slots among owners. While a single owner has runs waiting, and none has a priority, the only cost is one query at most ten
 * times a second.
 */
export function createFairScheduler({ db, card }: Pick<WorkerContext, "db" | "card">): FairScheduler {
  const taker = { adapters: card.adapters, pool: card.pool };
  let askedAt = -Infinity;
  let waiting: Promise<QueueMix | null> = Promise.resolve(null);

  function look(): Promise<QueueMix | null> {
    if (performance.now() - askedAt < maxAgeMs) return waiting;
    askedAt = performance.now();
    return (waiting = readQueueMix(db).catch(() => null));
  }
  const fairer = (runId: string): Promise<string | null> => pickFairRun(db, runId, taker).catch(() => null);
  const urgent = (runId: string): Promise<string | null> => pickPriorityRun(db, runId, taker).catch(() => null);

  return {
    async pickRun(runId, waitedMs) {
      const queue = waitedMs < backlogMs ? null : await look();
      if (queue === null) return runId;
      const chosen = (queue.several ? await fairer(runId) : null) ?? runId;
      return (queue.prioritized ? await urgent(chosen) : null) ?? chosen;
    },
    pickPassedOver: async (runId, waitedMs) => (waitedMs < backlogMs ? null : fairer(runId)),
  };
}
