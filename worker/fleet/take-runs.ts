import { findUnclaimedRuns } from "../../shared/store/runs/find-queued-runs.ts";
import { type Consumer, consumeRuns } from "./consume.ts";
import type { WorkerContext } from "../context.ts";
import { executeRun } from "../attempt/execute-run.ts";
import { loseAttempt } from "../attempt/lose-attempt.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import { createSlots } from "./slots.ts";
import { createTurns } from "./fair-scheduling.ts";

/** A nudge takes milliseconds; a run that is queued for longer is looked for in Postgres. */
export const nudgePatienceMs = 3_000;

export type RunTaker = {
  /** Runs at work now. */
  busy(): number;
  /** Executes a run in a slot; hands the nudge back when this worker leaves. `queuedAt`: since when it waits, epoch ms. */
  execute(runId: string, queuedAt?: number): Promise<void>;
  /** Looks for runs whose nudge was lost. */
  poll(): Promise<void>;
  /** When it last ended a poll, and when it last tried to claim a run, whatever came of it: performance.now(). */
  lastActs(): { polledAt: number; triedAt: number };
  /** From now on nudges are heard. */
  start(): void;
  /** From now on no run is taken. */
  pause(): Promise<void>;
  /** Resolves when no run is at work. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** Takes runs into this worker's slots: those that it is nudged for, and those that nobody was. */
export function takeRuns(ctx: WorkerContext): RunTaker {
  const { config, log, db } = ctx;
  const deps = { ...ctx, onFault: (run: HeldRun, fault: unknown) => loseAttempt(ctx, run, fault) };
  const slots = createSlots(config.worker.slots);
  const turns = createTurns(ctx);
  let paused = false;
  let consumer: Consumer | null = null;
  const last = { polledAt: performance.now(), triedAt: performance.now() };

  const attempt = (runId: string, release: () => void): Promise<boolean> => {
    last.triedAt = performance.now();
    return executeRun({ ...deps, onAgentEnd: release }, runId).catch((error: unknown) => {
      log.error({ run_id: runId, err: String(error) }, "a run was dropped");
      return true;
    });
  };
  const execute = (runId: string, queuedAt = Date.now()): Promise<void> =>
    slots.use(async (release) => {
      if (paused) return ctx.nudge(runId, queuedAt);
      const waitedMs = Date.now() - queuedAt;
      const next = await turns.take(runId, waitedMs);
      if (await attempt(next, release)) return;
      const passedOver = await turns.makeUp(next, waitedMs);
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
