import { salvageStream } from "../../shared/services/runs/salvage-stream.ts";
import { type ClaimedRun, claimRun } from "../../shared/store/runs/claim-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { trace } from "../../shared/platform/trace.ts";
import type { Hold } from "../lease/hold-leases.ts";
import type { WorkerContext } from "../context.ts";
import { abortReasonOf } from "../lease/abort-reason.ts";
import { openRunOutput, type RunOutput } from "../output/run-output.ts";
import { endAttempt } from "./end-attempt.ts";
import { giveBack } from "./give-back.ts";
import { loseAttempt } from "./lose-attempt.ts";
import { playAgent } from "./run-agent.ts";
import { tellWaiting } from "./publish-waiting.ts";

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
  const failed = await executeAttempt(ctx, claim.run, claimedAt);
  if (failed) await onFault(ctx, claim.run, failed.fault);
  return true;
}

/** Gives the fault for which the agent can't be played, if there was one; the run is as it was then. */
async function executeAttempt(
  ctx: WorkerContext,
  run: ClaimedRun,
  startedAt: number,
): Promise<{ fault: unknown } | null> {
  const { id: runId } = run;
  const hold = ctx.leases.hold(run, startedAt);
  const output = openRunOutput(ctx, run, () => hold.stop("fenced"));
  ctx.outputs.set(runId, output);
  const deadline = setTimeout(() => hold.stop("deadline"), run.timeout_ms);
  try {
    const played = await play(ctx, run, hold, output).catch((fault: unknown) => ({ fault }));
    if ("fault" in played) {
      if (abortReasonOf(hold.signal) !== "draining") return played;
      await giveBack(ctx, run, output);
      return null;
    }
    trace(runId, "exited");
    clearTimeout(deadline);
    // The stream holds this attempt's first event by now, so those before are fenced there.
    if (run.attempt > 1)
      await untilPostgresAnswers(() => salvageStream(ctx.db, ctx.streams, runId, run.attempt - 1)).catch(
        () => undefined,
      );
    await endAttempt(ctx, { ...played, hold, output, startedAt });
    return null;
  } finally {
    clearTimeout(deadline);
    // A later attempt of the same run may be at work here already.
    if (ctx.outputs.get(runId) === output) ctx.outputs.delete(runId);
    output.close();
    hold.release();
  }
}

/** Under the run's lease already: what is read for it may take as long as Postgres takes. */
async function play(ctx: WorkerContext, run: ClaimedRun, hold: Hold, output: RunOutput) {
  const attempt = { ...run, ...(await untilPostgresAnswers(() => ctx.configs.configOf(run))) };
  return { attempt, remains: await playAgent(ctx, attempt, hold, output) };
}
