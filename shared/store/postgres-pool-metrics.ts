import type pg from "pg";
import { Gauge, type Registry } from "prom-client";
import type { Db } from "./client.ts";

/** Adds what this process' connections to Postgres do. `waiting`: statements that wait for one. */
export function addPostgresPoolMetrics(registry: Registry, { pools }: Pick<Db, "pools">): void {
  new Gauge({
    name: "runfleet_postgres_connections",
    help: "Connections of this process to Postgres, and statements that wait for one",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const sum = (count: (pool: pg.Pool) => number): number => pools.reduce((all, pool) => all + count(pool), 0);
      this.set(
        { state: "idle" },
        sum(({ idleCount }) => idleCount),
      );
      this.set(
        { state: "busy" },
        sum(({ totalCount, idleCount }) => totalCount - idleCount),
      );
      this.set(
        { state: "waiting" },
        sum(({ waitingCount }) => waitingCount),
      );
    },
  });
}
