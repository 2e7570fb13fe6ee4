import { findFairerRun } from "../shared/store/runs/find-fairer.ts";
import type { WorkerContext } from "./context.ts";

/** A nudge takes milliseconds; one that took longer has stood in a queue. */
const backlogMs = 50;

/**
 * Which run a nudge is used for: its own, unless the queue is backed up and another owner has more of a right to the slot.
 * There are as many nudges as runs: the nudge of one that went ahead comes later, and takes one that was passed over.
 */
export async function takeTurn(ctx: WorkerContext, runId: string, waitedMs: number): Promise<string> {
  if (waitedMs < backlogMs) return runId;
  const fairer = await findFairerRun(ctx.db, runId, ctx.card.adapters).catch(() => null);
  return fairer ?? runId;
}
