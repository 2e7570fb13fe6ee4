import { type CancelDeps, cancelEarlierRuns, cancelRuns } from "../runs/cancel-run.ts";
import { nudgeRun } from "../runs/nudge-run.ts";
import type { FiredTick } from "./fire-tick.ts";

/**
 * Call it after the commit of a tick's run: cancels the runs that it replaces and nudges a worker. Never rejects: the workers'
 * poll finds a run that was not nudged, and a run's own worker finds a cancel request.
 */
export async function startFired(deps: CancelDeps, { run, cancelled }: FiredTick): Promise<void> {
  await cancelRuns(deps, cancelled, { owner: null, actor: null }).catch(() => undefined);
  await Promise.allSettled([run.multitask === "interrupt" && cancelEarlierRuns(deps, run), nudgeRun(deps, run)]);
}
