import { newId } from "../../shared/platform/ids.ts";
import { queueTtlMs } from "../../shared/domain/run/limits.ts";
import type { OpenInterrupt } from "../../shared/schemas/run-event.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import { interruptRun } from "../../shared/store/runs/interrupt-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { Attempt } from "./attempt.ts";
import type { WorkerContext } from "../context.ts";
import { measuredUsage } from "./decide-outcome.ts";
import type { Remains } from "./attempt-result.ts";
import type { RunOutput } from "../output/run-output.ts";

type Asking = { attempt: Attempt; output: RunOutput; remains: Remains; duration_ms: number };

/**
 * Puts a run aside whose agent asks a person. False: it didn't ask, or asked what no answer can fit (then that is its error),
 * or the run is no longer ours to put aside, because it was cancelled or taken over.
 */
export async function askPerson(
  ctx: WorkerContext,
  { attempt, output, remains, duration_ms }: Asking,
): Promise<boolean> {
  const { interrupt: asked, state_snapshot } = remains;
  if (!asked || remains.result || remains.error) return false;
  const { reason, message, response_schema, expires_in_ms } = asked;
  const fault = response_schema && (await ctx.jsonSchemas.schemaFault(attempt.user_id, response_schema));
  if (fault) {
    const text = `The response_schema of its question can't be used: ${fault}.`;
    remains.error = { code: "agent_error", type: "InvalidSchema", message: text, traceback: null };
    return false;
  }
  const now = await untilPostgresAnswers(() => readClock(ctx.db));
  const expires_at = new Date(now.getTime() + (expires_in_ms ?? queueTtlMs)).toISOString();
  const interrupt: OpenInterrupt = { id: newId("int"), reason, message, response_schema, expires_at };
  const events = await output.finish({ type: "run.interrupted", interrupts: [interrupt], state_snapshot });
  const put = { run: attempt, interrupt, state_snapshot, usage: measuredUsage(remains), duration_ms, events };
  const aside = await untilPostgresAnswers(() => interruptRun(ctx.db, put));
  if (!aside) {
    await ctx.leases.check(attempt.id);
    return false;
  }
  await output.announce(events.slice(-1));
  if (aside.next_run_id) await ctx.nudge(aside.next_run_id);
  return true;
}
