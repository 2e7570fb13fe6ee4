/**
 * Why a run's process is stopped. The first reason wins.
 * - `deadline`: the run's time is over. - `cancelled`: somebody cancelled the run. - `fenced`: the run is no longer this
 *   worker's, or this worker can't prove that it is. - `draining`: this worker leaves. - the others: the run exceeded a limit.
 */
export type AbortReason =
  | "deadline"
  | "cancelled"
  | "fenced"
  | "draining"
  | "output_limit"
  | "event_limit"
  | "event_too_large"
  | "artifact_limit"
  | "budget_exceeded";

/** Returns the reason that `signal` was aborted with; null when it was not. */
export function abortReasonOf(signal: AbortSignal): AbortReason | null {
  return signal.aborted ? (signal.reason as AbortReason) : null;
}
