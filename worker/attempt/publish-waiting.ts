import { markWaiting, type WaitReason } from "../../shared/store/runs/mark-waiting.ts";
import type { WorkerContext } from "../context.ts";

/** Tells a run's readers why it waits, once per reason. */
export async function tellWaiting(ctx: WorkerContext, runId: string, reason: WaitReason): Promise<void> {
  const event = await markWaiting(ctx.db, runId, reason);
  // Redis away: readers find the event in the transcript.
  if (event) await ctx.streams.append(runId, [event]).catch(() => undefined);
}
