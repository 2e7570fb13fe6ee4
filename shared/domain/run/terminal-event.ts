import type { RunError, RunEventBody, Usage } from "../../schemas/run-event.ts";
import type { TerminalStatus } from "./run-status.ts";

/** How a run ended. */
export type Outcome = {
  status: TerminalStatus;
  result_content: unknown;
  error: RunError | null;
  /** Null: the run saved no state, so its first state stays. */
  state_snapshot: string | null;
  usage: Usage | null;
};

/** Returns the terminal event of a run. `partial` is the output of a run that did not succeed. */
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
