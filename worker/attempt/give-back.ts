import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import { giveBackRun } from "../../shared/store/runs/requeue-run.ts";
import type { WorkerContext } from "../context.ts";
import type { RunOutput } from "../output/run-output.ts";

/** A draining worker's run goes to another one, uncharged. */
export async function giveBack(ctx: WorkerContext, run: HeldRun, output: RunOutput): Promise<void> {
  await output.finish(null);
  if (await giveBackRun(ctx.db, run)) await ctx.nudge(run.id);
}
