import { salvageStream } from "../shared/salvage-stream.ts";
import { claimRun } from "../shared/store/runs/claim-run.ts";
import { untilPostgresAnswers } from "../shared/store/until-postgres-answers.ts";
import { trace } from "../shared/trace.ts";
import type { Attempt } from "./attempt.ts";
import type { WorkerContext } from "./context.ts";
import { abortReasonOf } from "./lease/abort-reason.ts";
import { openRunOutput } from "./output/run-output.ts";
import { endAttempt } from "./end-attempt.ts";
import { giveBack } from "./give-back.ts";
import { loseAttempt } from "./lose-attempt.ts";
import { playAgent } from "./play-agent.ts";
import { tellWaiting } from "./tell-waiting.ts";

/**
 * A run's way through a worker: claim → hold its lease → play its agent → decide → finalize → announce → call back.
 * Never rejects for anything that the run or its agent does. A run that isn't ours (any more) is left alone. `onFault`: what
 * becomes of an attempt whose agent can't be played. False: it doesn't wait to be taken, by whomsoever.
 */
export async function executeRun(ctx: WorkerContext, runId: string, onFault = loseAttempt): Promise<boolean> {
  const claimedAt = performance.now();
  trace(runId, "woken");
  const claim = await claimRun(ctx.db, runId, ctx.card);
  if (claim.kind === "waits") await tellWaiting(ctx, runId, claim.reason);
  if (claim.kind === "elsewhere") await ctx.streams.tellWorker(claim.worker_id, { kind: "take", run_id: runId });
  if (claim.kind !== "claimed") return claim.kind !== "not_claimable";
  trace(runId, "claimed");
  const attempt = { ...claim.run, ...(await untilPostgresAnswers(() => ctx.configs.configOf(claim.run))) };
  const failed = await executeAttempt(ctx, attempt, claimedAt);
  if (failed) await onFault(ctx, attempt, failed.fault);
  return true;
}

/** Gives the fault for which the agent can't be played, if there was one; the run is as it was then. */
async function executeAttempt(
  ctx: WorkerContext,
  attempt: Attempt,
  startedAt: number,
): Promise<{ fault: unknown } | null> {
  const { id: runId } = attempt;
  const hold = ctx.leases.hold(attempt, startedAt);
  const output = openRunOutput(ctx, attempt, () => hold.stop("fenced"));
  ctx.outputs.set(runId, output);
  const deadline = setTimeout(() => hold.stop("deadline"), attempt.timeout_ms);
  try {
    const played = await playAgent(ctx, attempt, hold, output).then(
      (remains) => ({ remains }),
      (fault: unknown) => ({ fault }),
    );
    if ("fault" in played) {
      if (abortReasonOf(hold.signal) !== "draining") return played;
      await giveBack(ctx, attempt, output);
      return null;
    }
    trace(runId, "exited");
    clearTimeout(deadline);
    // The stream holds this attempt's first event by now, so those before are fenced there.
    if (attempt.attempt > 1)
      await untilPostgresAnswers(() => salvageStream(ctx.db, ctx.streams, runId, attempt.attempt - 1)).catch(
        () => undefined,
      );
    await endAttempt(ctx, { attempt, hold, output, startedAt, remains: played.remains });
    return null;
  } finally {
    clearTimeout(deadline);
    // A later attempt of the same run may be at work here already.
    if (ctx.outputs.get(runId) === output) ctx.outputs.delete(runId);
    output.close();
    hold.release();
  }
}
