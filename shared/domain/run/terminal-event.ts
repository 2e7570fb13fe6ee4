import type { RunError, RunEventBody, Usage } from "../../schemas/run-event.ts";
import type { TerminalStatus } from "./run-status.ts";

/** How a run ended, whoever ended it. */
export type Outcome = {
  status: TerminalStatus;
  result_content: unknown;
  error: RunError | null;
  /** Null: nothing was saved, so the state that the run came with stays. */
  state_snapshot: string | null;
  usage: Usage | null;
};

/** The last event of a stream. `partial` is what there was of a run that didn't succeed. */
export function terminalEvent(outcome: Outcome, partial: unknown, duration_ms: number): RunEventBody {
  const { status, result_content, error, state_snapshot, usage } = outcome;
  return {
    type: `run.${status}`,
    status,
    result_content,
    error,
    partial: status === "success" ? null : partial,
    state_snapshot,
    usage,
    duration_ms,
  };
}
