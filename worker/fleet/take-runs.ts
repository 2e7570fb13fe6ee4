import { findUnclaimedRuns } from "../../shared/store/runs/find-queued-runs.ts";
import { type Consumer, consumeRuns } from "./consume.ts";
import type { WorkerContext } from "../context.ts";
import { type ExecuteDeps, executeRun } from "../attempt/execute-run.ts";
import { loseAttempt, type LoseDeps } from "../attempt/lose-attempt.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import { createSlots } from "./slots.ts";
import { createFairScheduler } from "./fair-scheduling.ts";

/** A nudge takes some milliseconds. The poll finds runs that have been queued for this long. */
export const nudgePatienceMs = 3_000;

export type RunTaker = {
  /** How many runs execute now. */
  busy(): number;
  /** Executes a run in a slot. A draining worker nudges another one instead. `queuedAt`: since when the run waits, epoch ms. */
  execute(runId: string, queuedAt?: number): Promise<void>;
  /** Finds and executes runs whose nudge was lost. */
  poll(): Promise<void>;
  /** When the last poll ended, and when a run was last tried to claim, by performance.now(). */
  lastActs(): { polledAt: number; triedAt: number };
  /** Starts taking nudges. */
  start(): void;
  /** Stops taking runs. */
  pause(): Promise<void>;
  /** Resolves when no run executes. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

type TakeDeps = Omit<ExecuteDeps, "onFault"> & LoseDeps & Pick<WorkerContext, "card">;

/** Executes runs in this worker's slots: runs that this worker is nudged for, and runs whose nudge was lost. */
export function takeRuns(ctx: TakeDeps): RunTaker {
  const { config, log, db } = ctx;
  const deps = { ...ctx, onFault: (run: HeldRun, fault: unknown) => loseAttempt(ctx, run, fault) };
  const slots = createSlots(config.worker.slots);
  const scheduler = createFairScheduler(ctx);
  let paused = false;
  let consumer: Consumer | null = null;
  const last = { polledAt: performance.now(), triedAt: performance.now() };

  const attempt = (runId: string, release: () => void): Promise<boolean> => {
    last.triedAt = performance.now();
    return executeRun({ ...deps, onAgentEnd: release }, runId).catch((error: unknown) => {
      log.error({ run_id: runId, err: String(error) }, "a run could not be executed");
      return true;
    });
  };
  const execute = (runId: string, queuedAt = Date.now()): Promise<void> =>
    slots.use(async (release) => {
      if (paused) return ctx.nudge(runId, queuedAt);
      const waitedMs = Date.now() - queuedAt;
      const next = await scheduler.pickRun(runId, waitedMs);
      if (await attempt(next, release)) return;
      const passedOver = await scheduler.pickPassedOver(next, waitedMs);
      if (passedOver !== null) await attempt(passedOver, release);
    });
  /** Takes as many runs as there are free slots, and passes the nudges of the others on. */
  async function takeJob(runIds: string[], queuedAt: number): Promise<void> {
    const mine = runIds.slice(0, slots.free());
    for (const runId of mine) void execute(runId, queuedAt);
    for (const runId of runIds.slice(mine.length)) void ctx.nudge(runId, queuedAt);
    await slots.untilFree();
  }
  const onError = (error: Error): void => log.warn({ part: "consumer", err: error.message }, "connection fault");

  return {
    busy: () => slots.busy(),
    execute,
    async poll() {
      const limit = slots.free();
      const { adapters } = ctx.card;
      const found =
        paused || limit === 0 ? [] : await findUnclaimedRuns(db, { olderThanMs: nudgePatienceMs, limit, adapters });
      for (const runId of found) void execute(runId, 0);
      last.polledAt = performance.now();
    },
    lastActs: () => ({ ...last }),
    start() {
      consumer = consumeRuns({ ...config.redis, onError }, takeJob);
    },
    async pause() {
      paused = true;
      await consumer?.pause();
    },
    idle: () => slots.idle(),
    async close() {
      await consumer?.close();
    },
  };
}
