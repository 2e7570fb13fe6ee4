/**
 * Why a run's process is stopped. The first reason wins, but for `fenced`: a run that was asked to end is then killed at once.
 * - `deadline`: the run's time is over. - `cancelled`: somebody cancelled the run. - `fenced`: the run is no longer this
 *   worker's, or this worker can't prove that it is. - `draining`: this worker leaves. - `step_timeout`:
 *   a step ran over its time, and the run starts again by its journal. - `suspended`: the run only waits, and its process has not
 *   left by itself. - `awaiting_approval`: one of its calls waits for a person. - the others: the run exceeded a limit.
 */
export type AbortReason =
  | "deadline"
  | "cancelled"
  | "fenced"
  | "draining"
  | "step_timeout"
  | "suspended"
  | "awaiting_approval"
  | "output_limit"
  | "event_limit"
  | "event_too_large"
  | "artifact_limit"
  | "budget_exceeded"
  | "journal_full";

/** A run's signal. `fenced` aborts when the run is no longer this worker's, also where the signal itself was aborted before. */
export type StopSignal = AbortSignal & { fenced?: AbortSignal };

/** Returns the reason that counts of those that `signal` was aborted with; null when it was not. */
export function abortReasonOf(signal: StopSignal): AbortReason | null {
  if (signal.fenced?.aborted) return "fenced";
  return signal.aborted ? (signal.reason as AbortReason) : null;
}

/** A worker that leaves has 5 s after it has asked its runs to end. */
const drainingGraceMs = 3_000;

/**
 * Returns how long a run that is stopped for this reason may take to end by itself; 0 for a run that is killed at once: one that broke
 * a limit, or that another worker may have claimed.
 */
export function stopGraceMs(signal: StopSignal, graceMs: number): number {
  const reason = abortReasonOf(signal);
  if (reason === "cancelled" || reason === "deadline") return graceMs;
  return reason === "draining" ? Math.min(graceMs, drainingGraceMs) : 0;
}
