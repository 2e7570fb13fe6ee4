import { endRun } from "../../shared/services/runs/end-run.ts";
import { loseRun } from "../../shared/store/runs/requeue-run.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import type { WorkerContext } from "../context.ts";
import { SandboxUnavailable } from "../sandbox/sandbox.ts";

export type LoseDeps = Pick<WorkerContext, "db" | "streams" | "queue" | "log">;

/**
 * Gives up an attempt that can't go on through a fault of this worker, not of its agent. The run goes back to the queue,
 * charged with the attempt; a run without attempts left ends with an error. The run is not nudged: the workers' poll finds it
 * some seconds later, when the fault may be over.
 */
export async function loseAttempt(ctx: LoseDeps, { id, attempt }: HeldRun, fault: unknown): Promise<void> {
  const isSandbox = fault instanceof SandboxUnavailable;
  const code = isSandbox ? "sandbox_unavailable" : "worker_fault";
  const loss = await loseRun(ctx.db, { id, attempt }, code);
  const cause = fault instanceof Error && fault.cause instanceof Error ? { cause: fault.cause.message } : {};
  ctx.log.error({ run_id: id, attempt, outcome: loss.kind, err: String(fault), ...cause }, "an attempt was lost here");
  if (loss.kind !== "exhausted") return;
  const message = isSandbox ? "No sandbox could be had for it" : "It failed by a fault of the worker's";
  const error = { code, type: null, message: `${message}, as often as the run may be tried.`, traceback: null };
  const outcome = { status: "error", result_content: null, error, state_snapshot: null } as const;
  await endRun(ctx, loss.run, { cause: "give_up", outcome, reason: code, duration_ms: null });
}
