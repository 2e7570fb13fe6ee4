import { Gauge, type Registry } from "prom-client";
import type { Db } from "./client.ts";

/** Adds what this process' connections to Postgres do. `waiting`: statements that wait for one. */
export function addPostgresPoolMetrics(registry: Registry, { sql }: Pick<Db, "sql">): void {
  new Gauge({
    name: "runfleet_postgres_connections",
    help: "Connections of this process to Postgres, and statements that wait for one",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.set({ state: "idle" }, sql.idleCount);
      this.set({ state: "busy" }, sql.totalCount - sql.idleCount);
      this.set({ state: "waiting" }, sql.waitingCount);
    },
  });
}
