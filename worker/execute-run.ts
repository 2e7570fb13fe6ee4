import { salvageStream } from "../shared/salvage-stream.ts";
import { terminalEvent } from "../shared/run/terminal-event.ts";
import { type Attempt, claimRun } from "../shared/store/runs/claim-run.ts";
import { finalizeRun } from "../shared/store/runs/finalize-run.ts";
import { giveBackRun } from "../shared/store/runs/requeue-run.ts";
import { untilPostgresAnswers } from "../shared/store/until-postgres-answers.ts";
import { trace } from "../shared/trace.ts";
import { askPerson } from "./ask-person.ts";
import type { WorkerContext } from "./context.ts";
import type { Hold } from "./lease/hold-leases.ts";
import { abortReasonOf } from "./lease/abort-reason.ts";
import { checkOutput } from "./outcome/check-output.ts";
import { collectOutput, decideOutcome } from "./outcome/decide-outcome.ts";
import type { Remains } from "./outcome/remains.ts";
import { openRunOutput, type RunOutput } from "./output/run-output.ts";
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
  const failed = await executeAttempt(ctx, claim.attempt, claimedAt);
  if (failed) await onFault(ctx, claim.attempt, failed.fault);
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
    await end(ctx, { attempt, hold, output, startedAt, remains: played.remains });
    return null;
  } finally {
    clearTimeout(deadline);
    // A later attempt of the same run may be at work here already.
    if (ctx.outputs.get(runId) === output) ctx.outputs.delete(runId);
    output.close();
    hold.release();
  }
}

type Played = { attempt: Attempt; hold: Hold; output: RunOutput; remains: Remains; startedAt: number };

async function end(ctx: WorkerContext, { attempt, hold, output, remains, startedAt }: Played): Promise<void> {
  if (!hold.signal.aborted && (await askPerson(ctx, { attempt, output, remains }))) return;
  const decided = decideOutcome({ ...remains, aborted: abortReasonOf(hold.signal) });
  if (decided === "fenced") return;
  if (decided === "give_back") return giveBack(ctx, attempt, output);
  const outcome = checkOutput(decided, attempt.config, ctx.jsonSchemas);
  const duration_ms = Math.round(performance.now() - startedAt);
  const events = await output.finish(terminalEvent(outcome, collectOutput(remains.outputs), duration_ms));
  const finalized = await untilPostgresAnswers(() =>
    finalizeRun(ctx.db, {
      run_id: attempt.id,
      cause: "finish",
      attempt: attempt.attempt,
      outcome,
      duration_ms,
      events,
      reason: outcome.error?.code ?? null,
      ...(attempt.thread_id === null && attempt.concurrency === null && { alone: true }),
    }),
  );
  if (finalized.kind !== "finalized") return;
  trace(attempt.id, "finalized");
  if (finalized.owes) ctx.outbox.wake();
  await output.announce(events.slice(-1));
  trace(attempt.id, "announced");
  if (finalized.next_run_id) await ctx.nudge(finalized.next_run_id);
}

async function giveBack(ctx: WorkerContext, attempt: Attempt, output: RunOutput): Promise<void> {
  await output.finish(null);
  if (await giveBackRun(ctx.db, attempt)) await ctx.nudge(attempt.id);
}
