import { Counter, Histogram, Registry } from "prom-client";
import { terminalStatuses } from "../../shared/domain/run/run-status.ts";

/** How an attempt ended: the run's status where the run ended with it, else what became of the run. */
export type AttemptEnd = { adapter: string; ending: string; seconds: number };

/** What a worker counts. No label is an id, so the number of series doesn't grow with runs, agents or restarts. */
export type WorkerMetrics = {
  registry: Registry;
  attemptEnded(end: AttemptEnd): void;
  /** An attempt came to nothing by a fault of this worker: `reason` is the error's code. */
  attemptLost(reason: string): void;
  /** An agent's process has started. `warm`: its code was loaded before. */
  started(start: { adapter: string; warm: boolean }): void;
  /** A message of the outbox was tried. */
  delivered(delivery: { kind: "callback" | "webhook"; outcome: DeliveryOutcome }): void;
};

const deliveryOutcomes = ["delivered", "retry", "exhausted", "gone"] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** Beside the terminal statuses: what an attempt may end as that doesn't end its run. */
const openEndings = ["retry", "interrupt", "suspend", "continue", "give_back", "restart", "leave"];

/** From a warm run of some milliseconds to an agent of an hour. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1_800];

/** `adapters`: that this worker offers. */
export function createWorkerMetrics(adapters: readonly string[]): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const ended = new Counter({
    name: "runfleet_attempts_total",
    help: "Attempts that this worker executed, by how they ended",
    labelNames: ["adapter", "ending"],
    registers,
  });
  const took = new Histogram({
    name: "runfleet_attempt_seconds",
    help: "How long attempts took, from their claim to their decided end",
    labelNames: ["adapter"],
    buckets,
    registers,
  });
  const lost = new Counter({
    name: "runfleet_attempts_lost_total",
    help: "Attempts that came to nothing by a fault of this worker",
    labelNames: ["reason"],
    registers,
  });
  const starts = new Counter({
    name: "runfleet_starts_total",
    help: "Agents' processes that started, by whether their code was loaded before",
    labelNames: ["adapter", "warm"],
    registers,
  });
  const deliveries = new Counter({
    name: "runfleet_deliveries_total",
    help: "Tries to deliver a callback or a webhook's message, by what came of them",
    labelNames: ["kind", "outcome"],
    registers,
  });
  // A series that appears with its first event has no earlier value to compare with.
  for (const reason of ["sandbox_unavailable", "worker_fault"]) lost.inc({ reason }, 0);
  for (const adapter of adapters) {
    for (const ending of [...terminalStatuses, ...openEndings]) ended.inc({ adapter, ending }, 0);
    for (const warm of ["true", "false"]) starts.inc({ adapter, warm }, 0);
  }
  for (const kind of ["callback", "webhook"])
    for (const outcome of deliveryOutcomes) deliveries.inc({ kind, outcome }, 0);
  return {
    registry,
    attemptEnded({ adapter, ending, seconds }) {
      ended.inc({ adapter, ending });
      took.observe({ adapter }, seconds);
    },
    attemptLost: (reason) => lost.inc({ reason }),
    started: ({ adapter, warm }) => starts.inc({ adapter, warm: String(warm) }),
    delivered: (delivery) => deliveries.inc(delivery),
  };
}
