import type { RunError } from "../../schemas/run-event.ts";
import type { SeenRun } from "../../store/runs/moves/finalize-run.ts";
import type { LostOutcome } from "../../store/runs/moves/lose-run.ts";
import { endRun, type EndRunDeps } from "./end-run.ts";

/** A lost run that did not go back to the queue. */
type LostForGood = SeenRun & { outcome: Exclude<LostOutcome, "requeued"> };

/**
 * Ends a run that was lost: as cancelled when somebody had asked for that, otherwise with `error`, because it has no attempt
 * left. Returns false when the run moved on since it was lost.
 */
export function giveUpRun(deps: EndRunDeps, run: LostForGood, error: RunError): Promise<boolean> {
  const ending = { cause: "give_up", duration_ms: null } as const;
  const nothing = { result_content: null, state_snapshot: null };
  if (run.outcome === "cancelling")
    return endRun(deps, run, {
      ...ending,
      reason: "cancelled",
      outcome: { ...nothing, status: "cancelled", error: null },
    });
  return endRun(deps, run, { ...ending, reason: error.code, outcome: { ...nothing, status: "error", error } });
}
