import { Gauge, type Registry } from "prom-client";

/** How much a worker has to do. */
export type WorkerLoad = {
  slots: number;
  busy(): number;
  /** For how long the oldest event of its runs has waited to be written to Postgres. */
  writeBehindMs(): number;
};

/** Adds what a worker has to do at the moment that a monitor asks. */
export function exportGauges(registry: Registry, load: WorkerLoad): void {
  new Gauge({
    name: "runfleet_slots",
    help: "Slots of this worker",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.set({ state: "all" }, load.slots);
      this.set({ state: "busy" }, load.busy());
    },
  });
  new Gauge({
    name: "runfleet_write_behind_lag_seconds",
    help: "For how long the oldest event of this worker's runs has waited to be written to Postgres",
    registers: [registry],
    collect() {
      this.set(load.writeBehindMs() / 1_000);
    },
  });
}
