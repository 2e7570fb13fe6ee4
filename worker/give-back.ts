import { giveBackRun } from "../shared/store/runs/requeue-run.ts";
import type { Attempt } from "./attempt.ts";
import type { WorkerContext } from "./context.ts";
import type { RunOutput } from "./output/run-output.ts";

/** A draining worker's run goes to another one, uncharged. */
export async function giveBack(ctx: WorkerContext, attempt: Attempt, output: RunOutput): Promise<void> {
  await output.finish(null);
  if (await giveBackRun(ctx.db, attempt)) await ctx.nudge(attempt.id);
}
