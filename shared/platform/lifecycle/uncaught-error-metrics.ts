import { Gauge, type Registry } from "prom-client";
import type { UncaughtErrors } from "./run-process.ts";

/** Adds the number of this process' uncaught errors to its metrics. */
export function addUncaughtErrorMetrics(registry: Registry, net: UncaughtErrors): void {
  new Gauge({
    name: "runfleet_uncaught_errors",
    help: "Uncaught errors of this process since its start",
    registers: [registry],
    collect() {
      this.set(net.total());
    },
  });
}
