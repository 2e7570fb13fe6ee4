import { endRun, type Ending } from "../../shared/end-run.ts";
import { findExpiredRuns } from "../../shared/store/runs/find-expired.ts";
import { type LostRun, requeueLostRuns } from "../../shared/store/runs/requeue-run.ts";
import type { WorkerContext } from "../context.ts";

const batch = 100;

/** Runs whose worker's lease ran out go back to the queue, or end when they were lost too often or asked to be cancelled. */
export async function expireLeases(ctx: WorkerContext): Promise<void> {
  for (const run of await requeueLostRuns(ctx.db, batch)) {
    ctx.log.warn({ run_id: run.id, attempt: run.attempt, outcome: run.outcome }, "a run's worker was lost");
    // Not waited for: a Redis that is slow or away must not delay the next look.
    if (run.outcome === "queued") void ctx.nudge(run.id);
    else await endRun(ctx, run, givenUp(run.outcome));
  }
}

function givenUp(outcome: Exclude<LostRun["outcome"], "queued">): Ending {
  const nothing = { result_content: null, state_snapshot: null, usage: null };
  const ending = { cause: "give_up", duration_ms: null } as const;
  if (outcome === "cancelled")
    return { ...ending, reason: "cancelled", outcome: { ...nothing, status: "cancelled", error: null } };
  const message = "The workers that ran it were lost, as often as the run may be tried.";
  const error = { code: "worker_lost", type: null, message, traceback: null };
  return { ...ending, reason: "worker_lost", outcome: { ...nothing, status: "error", error } };
}

/** Runs that nobody took in time end as `expired`. */
export async function expireQueue(ctx: WorkerContext): Promise<void> {
  for (const run of await findExpiredRuns(ctx.db, batch)) {
    const message = "No worker took the run in time.";
    const error = { code: "expired", type: null, message, traceback: null };
    const outcome = { status: "expired", result_content: null, error, state_snapshot: null, usage: null } as const;
    await endRun(ctx, run, { cause: "expire", outcome, reason: "queue_ttl", duration_ms: 0 });
  }
}
