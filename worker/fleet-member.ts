import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { version } from "../shared/version.ts";
import { announceWorker, forgetWorker, forgetWorkers } from "../shared/store/workers/announce-worker.ts";
import { forgetExpiredKeys } from "../shared/store/users/idempotency-keys.ts";
import type { WorkerContext } from "./context.ts";
import { ownDaemons } from "./daemons/own-daemons.ts";
import { hearMessages } from "./hear-messages.ts";
import { takeRuns } from "./take-runs.ts";
import { startLoop } from "../shared/lifecycle/start-loop.ts";
import { expireLeases, expireQueue } from "./reconcile/mend-runs.ts";

const silentWorkerMs = 60_000;

export type FleetMember = {
  /** Takes no more, lets runs end for `graceMs`, hands back the rest uncharged, says goodbye. */
  drain(graceMs: number): Promise<void>;
};

/** Joins the fleet: announces this worker, takes runs, and does its share of mending what others left. */
export async function joinFleet(ctx: WorkerContext): Promise<FleetMember> {
  const { config, log, db } = ctx;
  const runs = takeRuns(ctx);
  let status: "active" | "draining" = "active";

  const lifecycles = [...ctx.daemonHosts.keys()].flatMap((type) => [`daemon:${type}`, `interactive:${type}`]);
  const announce = (): Promise<void> =>
    announceWorker(db, {
      id: ctx.workerId,
      host: hostname(),
      pid: process.pid,
      software: version,
      slots: config.worker.slots,
      busy: runs.busy(),
      adapters: [...ctx.adapters.keys(), ...lifecycles],
      sandbox: ctx.sandbox.report,
      status,
    });
  await announce();
  const messages = hearMessages(ctx, (runId) => runs.execute(runId));
  const daemons = ownDaemons(ctx);
  runs.start();
  const loops = [
    startLoop("poll", 1_000, log, () => runs.poll()),
    startLoop("announce", config.worker.leaseMs / 3, log, announce),
    startLoop("keep-sessions", config.worker.leaseMs / 3, log, () => ctx.sessions.keep()),
    startLoop("expire-leases", 1_000, log, () => expireLeases(ctx)),
    startLoop("claim-daemons", Math.min(1_000, config.worker.leaseMs / 3), log, () => daemons.claim()),
    startLoop("expire-queue", 5_000, log, () => expireQueue(ctx)),
    startLoop("forget-workers", 30_000, log, () => forgetWorkers(db, silentWorkerMs)),
    startLoop("forget-idempotency-keys", 600_000, log, () => forgetExpiredKeys(db)),
  ];

  return {
    async drain(graceMs) {
      status = "draining";
      await Promise.allSettled([announce(), runs.pause(), ...loops.map((loop) => loop.close())]);
      const idle = Promise.all([runs.idle(), daemons.drain(graceMs)]);
      await Promise.race([idle, sleep(graceMs)]);
      ctx.leases.stopAll("draining");
      await Promise.race([idle, sleep(5_000)]);
      messages.close();
      await Promise.allSettled([runs.close(), forgetWorker(db, ctx.workerId)]);
    },
  };
}
