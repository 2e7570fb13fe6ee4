import type { Registry } from "prom-client";
import type { Config } from "../shared/platform/config/load-config.ts";
import type { Log } from "../shared/platform/log.ts";
import type { Tracing } from "../shared/platform/tracing/open-tracing.ts";
import { addPostgresPoolMetrics } from "../shared/store/postgres-pool-metrics.ts";
import { createWorkerContext } from "./context.ts";
import type { Machine } from "./machine.ts";
import { type FleetMember, joinFleet } from "./fleet/join-fleet.ts";
import { serveMetrics } from "./metrics/serve-metrics.ts";
import { errorText } from "../shared/platform/error-text.ts";

/** A worker that takes runs. */
export type Worker = Pick<FleetMember, "dismissed"> & {
  registry: Registry;
  /**
   * Lets runs end for `graceMs`, gives back the rest uncharged, leaves the fleet, and closes all connections. A second call waits
   * for the first one's end.
   */
  close(graceMs: number): Promise<void>;
};

/** Opens the worker that `config` describes, on a machine that somebody else closes. Resolves when it takes runs. */
export async function openWorker(
  config: Config,
  log: Log,
  parts: { machine: Machine; tracing: Tracing | null },
): Promise<Worker> {
  const ctx = await createWorkerContext(config, log, parts);
  const { registry } = ctx.metrics;
  addPostgresPoolMetrics(registry, ctx.db);
  const { slots } = config.worker;
  let member: FleetMember | null = null;
  const seen = {
    registry,
    slots,
    isActive: () => member?.isActive() === true,
    busy: () => member?.busy() ?? 0,
    writeBehindMs: () => Math.max(0, ...[...ctx.outputs.values()].map((output) => output.lagMs())),
  };
  const server = config.metrics && (await serveMetrics(config.metrics, seen));
  const joined = await joinFleet(ctx).catch((error: unknown) => {
    throw new Error(`The worker can't register in Postgres: ${errorText(error)}`);
  });
  member = joined;
  log.info({ worker_id: ctx.workerId, slots, sandbox: ctx.sandbox.report }, "worker ready");
  const close = async (graceMs: number): Promise<void> => {
    await joined.drain(graceMs);
    server?.close();
    await ctx.close();
  };
  let closing: Promise<void> | null = null;
  return {
    registry,
    dismissed: joined.dismissed,
    close: (graceMs) => (closing ??= close(graceMs)),
  };
}
