import { Gauge, Registry } from "prom-client";
import type { UncaughtErrors } from "../../shared/platform/lifecycle/run-process.ts";
import { listWorkers } from "../../shared/store/workers/list-workers.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

/** Adds the number of this process' uncaught errors to its metrics. */
export function exportFaults(registry: Registry, net: UncaughtErrors): void {
  new Gauge({
    name: "runfleet_uncaught_errors",
    help: "Uncaught errors of this process since its start",
    registers: [registry],
    collect() {
      this.set(net.total());
    },
  });
}

export const getMetrics = defineOperation({
  method: "get",
  path: "/metrics",
  name: "metrics",
  area: "System",
  scope: "internal",
  summary: "Metrics for Prometheus",
  description: "For Prometheus to scrape. docs/operating.md says what each metric means and which alerts to set.",
  responses: { 200: { description: "Prometheus text format", content_type: "text/plain" } },
  async handle({ db, hub, openRuns, processMetrics }: Pick<ApiContext, "db" | "hub" | "openRuns" | "processMetrics">) {
    const registry = new Registry();
    const registers = [registry];
    const runs = new Gauge({
      name: "runfleet_runs",
      help: "Runs that have not ended, by status",
      labelNames: ["status"],
      registers,
    });
    for (const { status, count } of await openRuns()) runs.set({ status }, count);
    const slots = new Gauge({
      name: "runfleet_worker_slots",
      help: "Slots of the live workers",
      labelNames: ["state"],
      registers,
    });
    const level = new Gauge({
      name: "runfleet_sandbox_level",
      help: "Isolation level of a worker",
      labelNames: ["worker"],
      registers,
    });
    const workers = await listWorkers(db, 15_000);
    slots.set(
      { state: "busy" },
      workers.reduce((sum, worker) => sum + worker.busy, 0),
    );
    slots.set(
      { state: "all" },
      workers.reduce((sum, worker) => sum + worker.slots, 0),
    );
    const members = new Gauge({
      name: "runfleet_workers",
      help: "Live workers by status. A stalled worker claims no runs although it has free slots, and exits",
      labelNames: ["status"],
      registers,
    });
    for (const status of ["active", "draining", "stalled"])
      members.set({ status }, workers.filter((worker) => statusOf(worker) === status).length);
    for (const worker of workers) level.set({ worker: worker.id }, worker.sandbox.level);
    new Gauge({ name: "runfleet_stream_readers", help: "Readers of run streams in this process", registers }).set(
      hub.size(),
    );
    const text = (await processMetrics.metrics()) + (await registry.metrics());
    return { status: 200, content_type: registry.contentType, text };
  },
});

/** Workers of an earlier release report `deaf` for `stalled`. */
const statusOf = ({ status }: { status: string }): string => (status === "deaf" ? "stalled" : status);
