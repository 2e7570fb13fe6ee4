/**
 * Why a run's process is stopped. The first cause wins.
 * - `deadline`: its time is over. - `cancelled`: somebody asked. - `fenced`: it is no longer ours, or we can't prove that
 *   it is. - `draining`: this worker goes. - the others: it used more than it may.
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

/** The reason that `signal` was aborted with; null when it was not. */
export function abortReasonOf(signal: AbortSignal): AbortReason | null {
  return signal.aborted ? (signal.reason as AbortReason) : null;
}
