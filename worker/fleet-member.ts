import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { version } from "../shared/version.ts";
import { announceWorker, forgetWorker, forgetWorkers } from "../shared/store/workers/announce-worker.ts";
import { expireQueue } from "../shared/internal-jobs/expire-queue.ts";
import type { InternalJob } from "../shared/internal-jobs/internal-job.ts";
import { reconcileRuns } from "../shared/internal-jobs/reconcile-runs.ts";
import type { WorkerContext } from "./context.ts";
import { ownDaemons } from "./daemons/own-daemons.ts";
import { hearMessages } from "./hear-messages.ts";
import { fireSchedules } from "./schedules/fire-schedules.ts";
import { takeRuns } from "./take-runs.ts";
import { startLoop } from "../shared/lifecycle/start-loop.ts";
import { startInternalJobs } from "./start-internal-jobs.ts";

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
  // Without a row each second, as the jobs on the clock have one.
  const turn = async (job: InternalJob): Promise<void> => {
    await job.run(ctx, { dry_run: false, signal: new AbortController().signal });
  };

  await announce();
  const messages = hearMessages(ctx, (runId) => runs.execute(runId));
  const daemons = ownDaemons(ctx);
  runs.start();
  const loops = [
    startLoop("poll", 1_000, log, () => runs.poll()),
    fireSchedules(ctx),
    startLoop("announce", config.worker.leaseMs / 3, log, announce),
    startLoop("reconcile-runs", 1_000, log, () => turn(reconcileRuns)),
    startLoop("keep-sessions", config.worker.leaseMs / 3, log, () => ctx.sessions.keep()),
    startLoop("claim-daemons", Math.min(1_000, config.worker.leaseMs / 3), log, () => daemons.claim()),
    startLoop("expire-queue", 5_000, log, () => turn(expireQueue)),
    startInternalJobs(ctx),
    startLoop("forget-workers", 30_000, log, () => forgetWorkers(db, silentWorkerMs)),
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
