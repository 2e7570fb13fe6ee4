import { Histogram, type Registry } from "prom-client";
import { onTrace, type TraceStage, traceStages } from "../../shared/platform/run-trace-marks.ts";

/** What a run's time between two marks is called, by the later one. */
const names: Partial<Record<TraceStage, string>> = {
  claimed: "claim",
  taken: "start",
  first_frame: "first_output",
  exited: "run",
  finalized: "commit",
  announced: "announce",
};

const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2, 10, 60, 600];

/** More attempts than a worker ever has at once. An attempt that another worker took over never reports its last mark. */
const mostFollowed = 10_000;

/** Adds how long each stage of this worker's runs takes. Listening to the marks costs a run some microseconds. */
export function exportStageTimes(registry: Registry): void {
  const took = new Histogram({
    name: "runfleet_step_seconds",
    help: "How long a run's stages take in its worker",
    labelNames: ["step"],
    buckets,
    registers: [registry],
  });
  const last = new Map<string, { order: number; at: number }>();
  onTrace(({ run_id, step, at }) => {
    const order = traceStages.indexOf(step);
    const before = last.get(run_id);
    // Each frame of an agent marks its first one again.
    if (before && before.order >= order && step !== "woken") return;
    const name = names[step];
    if (before && name && step !== "woken") took.observe({ step: name }, (at - before.at) / 1_000);
    if (step === "announced") return void last.delete(run_id);
    last.set(run_id, { order, at });
    if (last.size > mostFollowed) last.delete(String(last.keys().next().value));
  });
}
