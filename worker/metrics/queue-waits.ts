import { Histogram, type Registry } from "prom-client";
import { onTrace } from "../../shared/platform/run-trace-marks.ts";

/** From a run that was granted at once to one that waited for an hour. */
const waitBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 120, 600, 3_600];

/** More attempts than a worker ever has at once. */
const mostFollowed = 10_000;

/** Adds how long runs waited, and how long they were silent. */
export function exportQueueWaits(registry: Registry): void {
  const waited = new Histogram({
    name: "runfleet_queue_wait_seconds",
    help: "For how long runs were queued before this worker claimed them",
    buckets: waitBuckets,
    registers: [registry],
  });
  const spoke = new Histogram({
    name: "runfleet_first_output_seconds",
    help: "From the time a run was queued to the first thing that its agent said",
    buckets: waitBuckets,
    registers: [registry],
  });
  /** When the runs that have said nothing yet were queued. */
  const queuedAt = new Map<string, number>();
  onTrace(({ run_id, step, at, waited_ms }) => {
    if (waited_ms !== undefined) {
      waited.observe(waited_ms / 1_000);
      queuedAt.set(run_id, at - waited_ms);
      if (queuedAt.size > mostFollowed) queuedAt.delete(String(queuedAt.keys().next().value));
      return;
    }
    const since = queuedAt.get(run_id);
    if (since === undefined || (step !== "first_frame" && step !== "exited")) return;
    if (step === "first_frame") spoke.observe((at - since) / 1_000);
    queuedAt.delete(run_id);
  });
}
