import { channel } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

/** The steps of a run, in order. `npm run bench -- --trace` measures the time of each. */
export const traceStages = [
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
export type TraceStage = (typeof traceStages)[number];

/** `at`: milliseconds since the epoch, with fractions. `waited_ms`: of a claimed run, for how long it was queued. */
export type TraceMark = { run_id: string; step: TraceStage; at: number; waited_ms?: number };

const marks = channel("runfleet:trace");

/** Marks that a run has come to a step. Nearly free while nobody listens. */
export function trace(run_id: string, step: TraceStage, more: Pick<TraceMark, "waited_ms"> = {}): void {
  if (marks.hasSubscribers) marks.publish({ run_id, step, at: performance.timeOrigin + performance.now(), ...more });
}

/** Calls `listener` with every mark of this process. */
export function onTrace(listener: (mark: TraceMark) => void): void {
  marks.subscribe((mark) => listener(mark as TraceMark));
}

/** Writes every mark of this process to a file, as JSON lines. For measuring only, since it writes synchronously. */
export const writeTrace = (file: string): void => onTrace((mark) => appendFileSync(file, `${JSON.stringify(mark)}\n`));
