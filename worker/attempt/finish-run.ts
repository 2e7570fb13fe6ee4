import { type Outcome, terminalEvent } from "../../shared/domain/run/terminal-event.ts";
import { finalizeRun } from "../../shared/store/runs/finalize-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { trace } from "../../shared/platform/trace.ts";
import type { Attempt } from "./attempt.ts";
import type { WorkerContext } from "../context.ts";
import { collectOutput } from "./decide-outcome.ts";
import type { RunOutput } from "../output/run-output.ts";

/** `outputs`: what its agent said. `duration_ms`: of all its attempts. */
type Finish = { attempt: Attempt; output: RunOutput; outputs: unknown[]; outcome: Outcome; duration_ms: number };

/** Ends a run: commits its end, then announces it, then wakes whoever waited for it. */
export async function finishRun(ctx: WorkerContext, finish: Finish): Promise<void> {
  const { attempt, output, outputs, outcome, duration_ms } = finish;
  const events = await output.finish(terminalEvent(outcome, collectOutput(outputs), duration_ms));
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
