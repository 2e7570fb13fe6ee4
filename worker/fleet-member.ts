import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { version } from "../shared/version.ts";
import { announceWorker, forgetWorker, forgetWorkers } from "../shared/store/workers/announce-worker.ts";
import { bookAllUsage } from "../shared/store/billing/book-usage.ts";
import { resetWeeks } from "../shared/store/billing/reset-weeks.ts";
import { forgetExpiredKeys } from "../shared/store/users/idempotency-keys.ts";
import { findUnclaimedRuns } from "../shared/store/runs/find-unclaimed.ts";
import { consumeRuns } from "./consume.ts";
import type { WorkerContext } from "./context.ts";
import { ownDaemons } from "./daemons/own-daemons.ts";
import { executeRun } from "./execute-run.ts";
import { hearMessages } from "./hear-messages.ts";
import { startLoop } from "../shared/lifecycle/start-loop.ts";
import { expireLeases, expireQueue } from "./reconcile/mend-runs.ts";
import { createSlots } from "./slots.ts";

/** A nudge takes milliseconds; a run that is queued for longer is looked for in Postgres. */
const nudgePatienceMs = 3_000;
const silentWorkerMs = 60_000;

export type FleetMember = {
  /** Takes no more, lets runs end for `graceMs`, hands back the rest uncharged, says goodbye. */
  drain(graceMs: number): Promise<void>;
};

/** Joins the fleet: announces this worker, takes runs, and does its share of mending what others left. */
export async function joinFleet(ctx: WorkerContext): Promise<FleetMember> {
  const { config, log, db } = ctx;
  const slots = createSlots(config.worker.slots);
  let status: "active" | "draining" = "active";

  const execute = (runId: string): Promise<void> =>
    slots.use(async () => {
      if (status === "draining") return ctx.nudge(runId);
      await executeRun(ctx, runId).catch((error: unknown) =>
        log.error({ run_id: runId, err: String(error) }, "a run was dropped"),
      );
    });
  const lifecycles = [...ctx.daemonHosts.keys()].flatMap((type) => [`daemon:${type}`, `interactive:${type}`]);
  const announce = (): Promise<void> =>
    announceWorker(db, {
      id: ctx.workerId,
      host: hostname(),
      pid: process.pid,
      software: version,
      slots: config.worker.slots,
      busy: slots.busy(),
      adapters: [...ctx.adapters.keys(), ...lifecycles],
      sandbox: ctx.sandbox.report,
      status,
    });
  const poll = async (): Promise<void> => {
    const free = slots.free();
    const found = free > 0 ? await findUnclaimedRuns(db, nudgePatienceMs, free) : [];
    for (const runId of found) void execute(runId);
  };

  await announce();
  const messages = hearMessages(ctx, execute);
  const daemons = ownDaemons(ctx);
  const onError = (error: Error): void => log.warn({ part: "consumer", err: error.message }, "connection fault");
  const consumer = consumeRuns({ ...config.redis, concurrency: config.worker.slots, onError }, execute);
  const loops = [
    startLoop("poll", 1_000, log, poll),
    startLoop("announce", config.worker.leaseMs / 3, log, announce),
    startLoop("keep-sessions", config.worker.leaseMs / 3, log, () => ctx.sessions.keep()),
    startLoop("expire-leases", 1_000, log, () => expireLeases(ctx)),
    startLoop("claim-daemons", Math.min(1_000, config.worker.leaseMs / 3), log, () => daemons.claim()),
    startLoop("expire-queue", 5_000, log, () => expireQueue(ctx)),
    startLoop("book-usage", 1_000, log, () => bookAllUsage(db)),
    startLoop("reset-weeks", 600_000, log, async () => void (await resetWeeks(db, { batch: 1_000, dryRun: false }))),
    startLoop("forget-workers", 30_000, log, () => forgetWorkers(db, silentWorkerMs)),
    startLoop("forget-idempotency-keys", 600_000, log, () => forgetExpiredKeys(db)),
  ];

  return {
    async drain(graceMs) {
      status = "draining";
      await Promise.allSettled([announce(), consumer.pause(), ...loops.map((loop) => loop.close())]);
      const idle = Promise.all([slots.idle(), daemons.drain(graceMs)]);
      await Promise.race([idle, sleep(graceMs)]);
      ctx.leases.stopAll("draining");
      await Promise.race([idle, sleep(5_000)]);
      messages.close();
      await Promise.allSettled([consumer.close(), forgetWorker(db, ctx.workerId)]);
    },
  };
}
