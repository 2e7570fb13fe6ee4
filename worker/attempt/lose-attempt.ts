import { giveUpRun } from "../../shared/services/runs/give-up-run.ts";
import { loseRun } from "../../shared/store/runs/moves/lose-run.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import type { WorkerContext } from "../context.ts";
import { SandboxUnavailable } from "../sandbox/sandbox.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type LoseDeps = Pick<WorkerContext, "db" | "streams" | "queue" | "log" | "metrics">;

/**
 * Gives up an attempt that can't go on through a fault of this worker, not of its agent. The run goes back to the queue,
 * charged with the attempt; a run without attempts left ends with an error. The run is not nudged: the workers' poll finds it
 * some seconds later, when the fault may be over.
 */
export async function loseAttempt(ctx: LoseDeps, { id, attempt }: HeldRun, fault: unknown): Promise<void> {
  const isSandbox = fault instanceof SandboxUnavailable;
  const code = isSandbox ? "sandbox_unavailable" : "worker_fault";
  ctx.metrics.attemptLost(code);
  const lost = await loseRun(ctx.db, { id, attempt }, code);
  const outcome = lost?.outcome ?? "stale";
  ctx.log.error({ run_id: id, attempt, outcome, err: errorText(fault) }, "an attempt was lost here");
  if (!lost || lost.outcome === "requeued") return;
  const what = isSandbox ? "No sandbox was available" : "The worker failed";
  const message = `${what}, and the run has no attempt left (max_attempts).`;
  await giveUpRun(ctx, { ...lost, outcome: lost.outcome }, { code, type: null, message, traceback: null });
}
