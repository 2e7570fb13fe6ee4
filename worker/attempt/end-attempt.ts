import type { Attempt } from "./attempt.ts";
import { askPerson } from "./interrupt-run.ts";
import type { WorkerContext } from "../context.ts";
import { finishRun } from "./finish-run.ts";
import { giveBack } from "./give-back.ts";
import { abortReasonOf } from "../lease/abort-reason.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { checkOutput } from "./check-output.ts";
import { decideOutcome } from "./decide-outcome.ts";
import type { Remains } from "./attempt-result.ts";
import type { RunOutput } from "../output/run-output.ts";
import { tryAgain } from "./retry-run.ts";

/** `startedAt`: performance.now() of its claim. */
type Played = { attempt: Attempt; hold: Hold; output: RunOutput; remains: Remains; startedAt: number };

/** What comes of an attempt whose agent is over: its run is put aside, handed back, or ended. */
export async function endAttempt(ctx: WorkerContext, played: Played, mayTryAgain = true): Promise<void> {
  const { attempt, hold, output, remains, startedAt } = played;
  const duration_ms = (attempt.spent_ms ?? 0) + Math.round(performance.now() - startedAt);
  if (!hold.signal.aborted && (await askPerson(ctx, { attempt, output, remains, duration_ms }))) return;
  const decided = decideOutcome({ ...remains, aborted: abortReasonOf(hold.signal) });
  if (decided === "fenced") return;
  if (decided === "give_back") return giveBack(ctx, attempt, output);
  const outcome = await checkOutput(decided, attempt, ctx.jsonSchemas);
  const again = mayTryAgain ? await tryAgain(ctx, { attempt, output, outcome, duration_ms }) : "no";
  if (again === "refused") return endAttempt(ctx, played, false);
  if (again === "no") await finishRun(ctx, { attempt, output, outputs: remains.outputs, outcome, duration_ms });
}
