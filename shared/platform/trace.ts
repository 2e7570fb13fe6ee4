import { channel } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

/** The steps of a run, in order. `npm run bench -- --trace` measures the time of each. */
export const traceSteps = [
  "checked",
  "committed",
  "queued",
  "woken",
  "claimed",
  "taken",
  "first_frame",
  "exited",
  "finalized",
  "announced",
] as const;
export type TraceStep = (typeof traceSteps)[number];

/** `at`: milliseconds since the epoch, with fractions. */
export type TraceMark = { run_id: string; step: TraceStep; at: number };

const marks = channel("runfleet:trace");

/** Marks that a run has come to a step. Nearly free without `writeTrace`. */
export function trace(run_id: string, step: TraceStep): void {
  if (marks.hasSubscribers) marks.publish({ run_id, step, at: performance.timeOrigin + performance.now() });
}

/** Writes every mark of this process to a file, as JSON lines. For measuring only, since it writes synchronously. */
export function writeTrace(file: string): void {
  marks.subscribe((mark) => appendFileSync(file, `${JSON.stringify(mark)}\n`));
}
