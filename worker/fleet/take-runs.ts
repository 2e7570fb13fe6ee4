import { rememberIds } from "../../shared/platform/lifecycle/recent-ids.ts";
import { findQueuedRuns, findUnclaimedRuns } from "../../shared/store/runs/queue/find-queued-runs.ts";
import { type Consumer, consumeRuns } from "./consume.ts";
import type { WorkerContext } from "../context.ts";
import { type ExecuteDeps, executeGranted, executeRun } from "../attempt/execute-run.ts";
import { loseAttempt, type LoseDeps } from "../attempt/lose-attempt.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { findGrantableOf } from "../../shared/store/runs/queue/read-granted-run.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import { giveBackRun } from "../../shared/store/runs/moves/give-back-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { createCreditGiver } from "./give-credit.ts";
import { createSlots } from "./slots.ts";
import { createFairScheduler } from "./fair-scheduling.ts";
import { errorText } from "../../shared/platform/error-text.ts";
import { logFaults } from "../../shared/platform/log.ts";

/** A nudge takes some milliseconds. The poll finds runs that have been queued for this long. */
export const nudgePatienceMs = 3_000;

/** So many queued runs are nudged again at once when nudges were lost in numbers. */
const mostNudgedAgain = 1_000;

/** A run whose packages this worker has no room for is left to others for this long. */
const unableMs = 5_000;

/** A crowded worker gives no credits for this long. */
const crowdedMs = 250;

export type RunTaker = {
  /** How many runs execute now. */
  busy(): number;
  /** Executes a run in a slot. A draining worker nudges another one instead. */
  execute(runId: string): Promise<void>;
  /** Executes a run that was granted to this worker. A worker that has no room for it gives it back. `sealed`: see seal-grant.ts. */
  executeGranted(runId: string, sealed: string | null): void;
  /** Finds and executes runs whose nudge was lost. */
  poll(): Promise<void>;
  /** When the last poll ended, and when a run was last tried to claim, by performance.now(). */
  lastActs(): { polledAt: number; triedAt: number };
  /** True while this worker takes no run but one that is executed alone. */
  isReserved(): boolean;
  /** Starts taking nudges. */
  start(): void;
  /** Stops taking runs. */
  pause(): Promise<void>;
  /** Resolves when no run executes. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

type TakeDeps = Omit<ExecuteDeps, "onFault"> & LoseDeps & Pick<WorkerContext, "card" | "memory">;

/** Executes runs in this worker's slots: runs that this worker is nudged for, and runs whose nudge was lost. */
export function takeRuns(ctx: TakeDeps): RunTaker {
  const { config, log, db } = ctx;
  const slots = createSlots(config.worker.slots);
  const unable = rememberIds(unableMs);
  const deps = {
    ...ctx,
    onFault: (run: HeldRun, fault: unknown) => loseAttempt(ctx, run, fault),
    onUnable: (runId: string) => unable.add(runId),
  };
  const room = (): number => Math.min(slots.free(), ctx.memory.roomForRuns());
  const scheduler = createFairScheduler(ctx);
  let paused = false;
  let consumer: Consumer | null = null;
  // A crowded worker takes runs from the queue, where many go together: that costs less, and nobody gains from a hop saved.
  const mostGranted = Math.ceil(config.worker.slots / 4);
  let crowdedUntil = 0;
  const granted = (): number => (performance.now() < crowdedUntil ? 0 : Math.min(room(), mostGranted - slots.busy()));
  const credit = createCreditGiver({ workerId: ctx.workerId, credits: ctx.queue.credits, free: granted });
  /** How often each run is being claimed, executed or handed back here: two nudges may name the same run. */
  const inHand = new Map<string, number>();
  const take = (runId: string): void => void inHand.set(runId, (inHand.get(runId) ?? 0) + 1);
  function letGo(runId: string): void {
    const others = (inHand.get(runId) ?? 0) - 1;
    if (others > 0) inHand.set(runId, others);
    else inHand.delete(runId);
  }
  const isHere = (runId: string): boolean => inHand.has(runId) || ctx.outputs.has(runId);
  /**
   * Those that it has left. One whose lease it couldn't prove is still its own in Postgres until the lease ends: it must not
   * begin anew.
   */
  const left = rememberIds(2 * config.worker.leaseMs);
  /** Those that it found without having heard of them. */
  const unheard = rememberIds(2 * config.worker.leaseMs);
  const handedBack = new Set<Promise<void>>();
  /** The run that this worker leaves its slots empty for. */
  let suspect: { runId: string; waiting: AbortController } | null = null;
  const last = { polledAt: performance.now(), triedAt: performance.now() };

  const onAgentEnd = (release: () => void) => (): void => {
    release();
    credit.offer();
  };
  async function handle(runId: string, execution: () => Promise<boolean>): Promise<boolean> {
    last.triedAt = performance.now();
    if (slots.busy() > mostGranted) crowdedUntil = last.triedAt + crowdedMs;
    take(runId);
    try {
      return await execution();
    } catch (error) {
      log.error({ run_id: runId, err: errorText(error) }, "a run could not be executed");
      return true;
    } finally {
      letGo(runId);
      left.add(runId);
      credit.offer();
    }
  }
  async function attempt(runId: string, release: () => void): Promise<boolean> {
    if (unable.has(runId)) {
      last.triedAt = performance.now();
      return false;
    }
    const parts = { ...deps, onAgentEnd: onAgentEnd(release), onSuspect: executeAlone };
    return handle(runId, () => executeRun(parts, runId));
  }
  /** Executes a run once this worker executes nothing else; it takes no other run until then. */
  function executeAlone(runId: string): void {
    if (suspect !== null) return;
    const waiting = new AbortController();
    suspect = { runId, waiting };
    log.warn(
      { run_id: runId },
      "a run was lost with its workers before: this worker takes no other until it has ended",
    );
    const alone = { ...deps, card: { ...ctx.card, alone: true } };
    const work = async (): Promise<void> => {
      if (!paused) await handle(runId, () => executeRun(alone, runId));
    };
    void slots.useAll(waiting.signal, work).finally(() => {
      suspect = null;
      credit.offer();
    });
  }
  /** Another worker may have been faster. */
  async function lookAtSuspect(): Promise<void> {
    if (suspect === null || isHere(suspect.runId)) return;
    const [state] = await readRunStates(db, [suspect.runId], null);
    if (paused || state?.status !== "queued") suspect.waiting.abort();
  }
  async function handBack(runId: string): Promise<void> {
    const reason = paused ? "drained" : "not_started";
    if (await untilPostgresAnswers(() => giveBackRun(db, { id: runId, attempt: 1 }, reason))) await ctx.nudge(runId);
  }
  function executeGrant(runId: string, sealed: string | null): void {
    credit.used();
    if (paused || slots.free() === 0) {
      take(runId);
      const handing = handBack(runId)
        .catch(() => undefined)
        .finally(() => {
          handedBack.delete(handing);
          letGo(runId);
        });
      handedBack.add(handing);
      return;
    }
    // A slot is free, so the run is in hand at once.
    void slots.use(async (release) => {
      await handle(runId, async () => {
        await executeGranted({ ...deps, onAgentEnd: onAgentEnd(release) }, runId, sealed);
        return true;
      });
    });
  }
  /** Finds runs that were granted to this worker without its hearing of it. The message may still come. */
  async function findUnheard(): Promise<void> {
    for (const runId of await findGrantableOf(db, ctx.workerId)) {
      if (isHere(runId) || left.has(runId)) continue;
      unheard.add(runId);
      executeGrant(runId, null);
    }
  }
  /** More runs wait than this worker has room for, and it heard of none: the pool had no worker, or Redis has lost its nudges. */
  async function nudgeAgain(): Promise<void> {
    const { waiting } = await ctx.queue.counts(ctx.card.pool);
    if (waiting !== 0) return;
    for (const runId of await findQueuedRuns(db, ctx.card.pool, mostNudgedAgain))
      if (!isHere(runId)) void ctx.nudge(runId, 0);
  }
  const execute = (runId: string, queuedAt = Date.now()): Promise<void> =>
    slots.use(async (release) => {
      if (paused) return ctx.nudge(runId, queuedAt);
      const waitedMs = Date.now() - queuedAt;
      const picked = await scheduler.pickRun(runId, waitedMs);
      // Nobody waits for one whose packages this worker can't install for now.
      const next = unable.has(picked) ? runId : picked;
      if (await attempt(next, release)) return;
      const passedOver = await scheduler.pickPassedOver(next, waitedMs);
      if (passedOver !== null) await attempt(passedOver, release);
    });
  /** Takes as many runs as there are free slots, and passes the nudges of the others on. */
  async function takeJob(runIds: string[], queuedAt: number): Promise<void> {
    const mine = runIds.slice(0, Math.max(1, room()));
    await credit.makeRoom(mine.length);
    // A worker that leaves its slots empty waits below, so what it passes on doesn't come back to it at once.
    if (suspect === null) for (const runId of mine) void execute(runId, queuedAt);
    for (const runId of suspect === null ? runIds.slice(mine.length) : runIds) void ctx.nudge(runId, queuedAt);
    await Promise.all([slots.untilFree(), ctx.memory.untilRoom()]);
  }
  const onError = logFaults(log, "consumer");

  return {
    busy: () => slots.busy(),
    // What it can't take now is found by the poll of some worker.
    execute: async (runId) => (suspect === null ? execute(runId) : undefined),
    executeGranted(runId, sealed) {
      if (!isHere(runId) && !unheard.has(runId)) executeGrant(runId, sealed);
    },
    async poll() {
      // Before the nudges: who took a credit may have died before it told this worker.
      if (!paused && (await credit.look())) await findUnheard();
      await lookAtSuspect();
      const limit = room();
      const { adapters, pool } = ctx.card;
      const unclaimed = { olderThanMs: nudgePatienceMs, limit, adapters, pool };
      const found = paused || limit === 0 ? [] : await findUnclaimedRuns(db, unclaimed);
      for (const runId of found) void execute(runId, 0);
      if (found.length > 0 && found.length === limit) await nudgeAgain();
      last.polledAt = performance.now();
    },
    lastActs: () => ({ ...last }),
    isReserved: () => suspect !== null,
    start() {
      consumer = consumeRuns(ctx.card.pool, { ...config.redis, onError }, takeJob);
      credit.offer();
    },
    async pause() {
      paused = true;
      await Promise.all([credit.stop(), consumer?.pause()]);
      await findUnheard().catch(() => undefined);
    },
    async idle() {
      await Promise.all([slots.idle(), ...handedBack]);
    },
    async close() {
      await consumer?.close();
    },
  };
}
