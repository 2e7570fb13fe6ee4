import { queueTtlMs } from "../../shared/domain/run/limits.ts";
import { retryDelayMs } from "../../shared/domain/retry/agent-retry-delay.ts";
import type { Outcome } from "../../shared/domain/run/terminal-event.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import { scheduleRun } from "../../shared/store/runs/schedule-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { Attempt } from "./attempt.ts";
import type { WorkerContext } from "../context.ts";
import type { RunOutput } from "../output/run-output.ts";

type Failed = { attempt: Attempt; output: RunOutput; outcome: Outcome; duration_ms: number };

/**
 * Puts a run aside whose agent failed, when its config wants it to be tried again. `no`: it doesn't. `refused`: the run is no
 * longer ours to put aside, because it was cancelled or taken over.
 */
export async function tryAgain(ctx: WorkerContext, failed: Failed): Promise<"scheduled" | "no" | "refused"> {
  const { attempt, output, outcome, duration_ms } = failed;
  const { retry, limits } = attempt.config;
  const { error, usage } = outcome;
  const delay = retryDelayMs(retry, { error, failed: attempt.failed_attempts, random: Math.random() });
  if (delay === null || error === null) return "no";
  const at = new Date((await untilPostgresAnswers(() => readClock(ctx.db))).getTime() + delay);
  const queue = { position: null, wait_reason: "retry" } as const;
  const events = await output.finish({ type: "run.waiting", queue, error, retry_at: at.toISOString() });
  const queue_ttl_ms = limits?.queue_ttl_ms ?? queueTtlMs;
  const scheduling = { run: attempt, at, queue_ttl_ms, error, usage, duration_ms, events };
  const scheduled = await untilPostgresAnswers(() => scheduleRun(ctx.db, scheduling));
  if (!scheduled) {
    await ctx.leases.check(attempt.id);
    return "refused";
  }
  await output.announce(events.slice(-1));
  if (scheduled.next_run_id) await ctx.nudge(scheduled.next_run_id);
  return "scheduled";
}
