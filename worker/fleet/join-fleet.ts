import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { version } from "../../shared/platform/version.ts";
import {
  announceWorker,
  type Dismissal,
  forgetWorker,
  type WorkerCard,
} from "../../shared/store/workers/announce-worker.ts";
import type { WorkerContext } from "../context.ts";
import { buildVersions } from "../builds/build-versions.ts";
import { openWorkerDaemons } from "../daemons/worker-daemons.ts";
import { detectStall } from "./detect-stall.ts";
import { listenForMessages } from "./listen.ts";
import { fireSchedules } from "./schedules/fire-schedules.ts";
import { takeRuns } from "./take-runs.ts";
import { startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { startMaintenance } from "./maintenance.ts";

export type Departure = { graceMs: number; stalled: boolean };

export type FleetMember = {
  /** Resolves when an operator dismissed this worker, or when it is stalled. `graceMs`: how long its runs may go on. */
  dismissed: Promise<Departure>;
  /** Whether it takes runs. */
  isActive(): boolean;
  /** How many runs execute now. */
  busy(): number;
  /** Stops taking runs, lets runs end for `graceMs`, gives back the rest uncharged, and leaves the fleet. */
  drain(graceMs: number): Promise<void>;
};

/** Joins the fleet: announces this worker, takes runs, and does its share of the maintenance. */
export async function joinFleet(ctx: WorkerContext): Promise<FleetMember> {
  const { config, log, db } = ctx;
  const runs = takeRuns(ctx);
  let status: WorkerCard["status"] = "active";

  const card = cardOf(ctx);
  let dismiss: (how: Departure) => void = () => undefined;
  const dismissed = new Promise<Departure>((resolve) => (dismiss = resolve));
  // An operator may ask for a kill after a drain. Each announcement returns it again.
  const apply = async (dismissal: Dismissal | null): Promise<void> => {
    if (dismissal === null) return;
    status = "draining";
    await runs.pause();
    // Its runs may take hours. Other workers' daemons must not come to it meanwhile.
    void daemons.drain(dismissal === "kill" ? 0 : config.shutdownGraceMs);
    if (dismissal === "kill") dismiss({ graceMs: 0, stalled: false });
    else void runs.idle().then(() => dismiss({ graceMs: config.shutdownGraceMs, stalled: false }));
  };
  const announce = async (): Promise<void> => {
    const askedAt = performance.now();
    const { dismissal, at } = await announceWorker(db, { ...card, busy: runs.busy(), status });
    ctx.clock.note(askedAt, at);
    await apply(dismissal);
    // For a container's health check: the time until which this worker counts as alive.
    if (config.aliveFile) await writeFile(config.aliveFile, String(Date.now() + config.worker.leaseMs));
  };

  const onStalled = (): void => {
    status = "stalled";
    dismiss({ graceMs: config.shutdownGraceMs, stalled: true });
  };

  await announce();
  const messages = listenForMessages(ctx, runs);
  const daemons = openWorkerDaemons(ctx);
  runs.start();
  const loops = [
    startLoop("poll", 1_000, log, () => runs.poll()),
    fireSchedules(ctx),
    buildVersions(ctx),
    startLoop("compact-transcripts", 5_000, log, () => ctx.compactor.compact()),
    startLoop("announce", config.worker.leaseMs / 3, log, announce),
    startLoop("renew-interactive", config.worker.leaseMs / 3, log, () => ctx.interactive.renew()),
    startLoop("claim-daemons", Math.min(1_000, config.worker.leaseMs / 3), log, () => daemons.claim()),
    detectStall(ctx, { taker: runs, isLeaving: () => status !== "active", onStalled }),
    ...startMaintenance(ctx),
  ];

  return {
    dismissed,
    isActive: () => status === "active",
    busy: () => runs.busy(),
    async drain(graceMs) {
      if (status === "active") status = "draining";
      // A loop that is stuck must not keep the others from leaving.
      const stopped = Promise.allSettled([announce(), runs.pause(), ...loops.map((loop) => loop.close())]);
      await Promise.race([stopped, sleep(2_000)]);
      // Runs that only wait need no worker: they are suspended rather than begun anew elsewhere.
      for (const journal of ctx.journals.values()) journal.drain();
      const idle = Promise.all([runs.idle(), daemons.drain(graceMs)]);
      await Promise.race([idle, sleep(graceMs)]);
      ctx.leases.stopAll("draining");
      await Promise.race([idle, sleep(5_000)]);
      if (ctx.outputs.size > 0)
        log.warn({ run_ids: [...ctx.outputs.keys()] }, "this worker leaves while runs still execute");
      messages.close();
      await Promise.allSettled([runs.close(), ctx.compactor.compact(), forgetWorker(db, ctx.workerId)]);
    },
  };
}

function cardOf({
  config,
  workerId,
  adapters,
  daemonHosts,
  sandbox,
}: WorkerContext): Omit<WorkerCard, "busy" | "status"> {
  const lifecycles = [...daemonHosts.keys()].flatMap((type) => [`daemon:${type}`, `interactive:${type}`]);
  return {
    id: workerId,
    host: hostname(),
    pid: process.pid,
    software: version,
    slots: config.worker.slots,
    lease_ms: config.worker.leaseMs,
    adapters: [...adapters.keys(), ...lifecycles],
    pool: config.worker.pool,
    sandbox: { ...sandbox.report, missing: [...sandbox.missing] },
  };
}
