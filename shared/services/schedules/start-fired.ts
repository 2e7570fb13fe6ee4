import { cancelAhead } from "../runs/cancel-ahead.ts";
import { cancelRun } from "../runs/cancel-run.ts";
import type { FiredTick } from "./fire-tick.ts";

/**
 * What follows the commit of a tick's run: those that it overtook end, and some worker is nudged to take it. Never rejects:
 * a run that is not nudged is found by the workers' poll, and one that was asked to end by its own worker.
 */
export async function startFired(deps: Parameters<typeof cancelRun>[0], { run, overtaken }: FiredTick): Promise<void> {
  const { id, agent_id, lifecycle } = run;
  const nudge = () => (lifecycle === "daemon" ? deps.streams.signalDaemons("mail", agent_id) : deps.queue.dispatch(id));
  await Promise.allSettled(overtaken.map((runId) => cancelRun(deps, runId, null)));
  await Promise.allSettled([run.multitask === "interrupt" && cancelAhead(deps, run), nudge()]);
}
