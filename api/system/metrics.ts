import { Gauge, Registry } from "prom-client";
import { listWorkers } from "../../shared/store/workers/list-workers.ts";
import type { ApiContext } from "../context.ts";
import { addMaintenance } from "./maintenance-metrics.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getMetrics = defineOperation({
  method: "get",
  path: "/metrics",
  name: "metrics",
  area: "System",
  scope: "internal",
  summary: "Metrics for Prometheus",
  description: "For Prometheus to scrape. docs/operating.md says what each metric means and which alerts to set.",
  responses: { 200: { description: "Prometheus text format", content_type: "text/plain" } },
  async handle({
    db,
    hub,
    openRuns,
    queues,
    pools,
    maintenance,
    processMetrics,
  }: Pick<ApiContext, "db" | "hub" | "openRuns" | "queues" | "pools" | "maintenance" | "processMetrics">) {
    const registry = new Registry();
    const registers = [registry];
    const runs = new Gauge({
      name: "runfleet_runs",
      help: "Runs that have not ended, by status",
      labelNames: ["status"],
      registers,
    });
    for (const { status, count } of await openRuns()) runs.set({ status }, count);
    const depth = new Gauge({
      name: "runfleet_queue_depth",
      help: "Runs that are queued, and messages that wait to be delivered",
      labelNames: ["queue", "pool"],
      registers,
    });
    const oldest = new Gauge({
      name: "runfleet_queue_oldest_seconds",
      help: "For how long the oldest of a queue waits; 0 for an empty queue",
      labelNames: ["queue", "pool"],
      registers,
    });
    const dead = new Gauge({
      name: "runfleet_queue_dead",
      help: "Messages that were given up and are still kept",
      labelNames: ["queue"],
      registers,
    });
    const demand = new Gauge({
      name: "runfleet_demand_slots",
      help: "Slots that runs want: those that are queued and those that run",
      labelNames: ["pool"],
      registers,
    });
    for (const { name: queue, waiting, dead: givenUp, oldest_ms } of await queues()) {
      dead.set({ queue }, givenUp);
      if (queue === "runs") continue;
      depth.set({ queue }, waiting);
      oldest.set({ queue }, (oldest_ms ?? 0) / 1_000);
    }
    addMaintenance(registry, await maintenance());
    const slots = new Gauge({
      name: "runfleet_worker_slots",
      help: "Slots of the live workers",
      labelNames: ["pool", "state"],
      registers,
    });
    const members = new Gauge({
      name: "runfleet_workers",
      help: "Live workers by status. A stalled worker claims no runs although it has free slots, and exits",
      labelNames: ["pool", "status"],
      registers,
    });
    for (const { pool, waiting, running, oldest_ms, slots: all, busy, ...workersBy } of await pools()) {
      depth.set({ queue: "runs", pool }, waiting);
      oldest.set({ queue: "runs", pool }, (oldest_ms ?? 0) / 1_000);
      demand.set({ pool }, waiting + running);
      slots.set({ pool, state: "all" }, all);
      slots.set({ pool, state: "busy" }, busy);
      for (const status of ["active", "draining", "stalled"] as const) members.set({ pool, status }, workersBy[status]);
    }
    const workers = await listWorkers(db, 15_000);
    // Without workers there is no level: 0 would be one.
    if (workers.length > 0)
      new Gauge({
        name: "runfleet_sandbox_level",
        help: "The lowest isolation level of the live workers",
        registers,
      }).set(Math.min(...workers.map((worker) => worker.sandbox.level)));
    new Gauge({ name: "runfleet_stream_readers", help: "Readers of run streams in this process", registers }).set(
      hub.size(),
    );
    const text = (await processMetrics.metrics()) + (await registry.metrics());
    return { status: 200, content_type: registry.contentType, text };
  },
});
