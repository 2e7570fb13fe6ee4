import type { SandboxReport } from "../../../schemas/run-event.ts";
import type { Batch } from "../../batch.ts";
import type { Db } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import { parameterRows } from "../../parameter-rows.ts";
import { briefPayload, enqueueWebhooks } from "../../outbox/enqueue-webhooks.ts";
import { literal, perRow, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { findAhead, isFirstOfThread } from "../../threads/thread-order.ts";
import { isBuilding } from "../../builds/is-building.ts";
import { findProcessHolder } from "../../threads/process-leases.ts";
import { findRoomiestWorker, findWorkerOffering } from "../../workers/find-worker-offering.ts";
import { wantsEvent } from "../../webhooks/wanted-events.ts";
import { isPaused } from "../../queues/pauses.ts";
import { isUniqueViolation } from "../../sql-faults.ts";
import { mayMove } from "../../../domain/run/transitions.ts";
import { freeKeySlot, freeSlot, isNotPaused } from "./claimable.ts";
import { claimedColumns, type ClaimedRun, claimedRun, selectClaimed } from "./claimed-run.ts";
import { moveRuns } from "../moves/move-runs.ts";
import { runIs, runIsStill } from "../run-is.ts";
import { isSuspect, lossesUntilAlone } from "./worker-filter.ts";

export type ClaimingWorker = {
  id: string;
  leaseMs: number;
  sandbox: SandboxReport;
  /** The adapter types that it offers. */
  adapters: string[];
  /** Whose runs it takes. */
  pool: string;
  /** By which it owns the agent's daemon, when it claims on the daemon's behalf. */
  daemon_epoch?: number;
  /** True when it executes no other run and begins none meanwhile. */
  alone?: boolean;
};

export type Claim =
  | { kind: "claimed"; run: ClaimedRun }
  | { kind: "waits"; reason: "thread_busy" | "paused" | "building" | "concurrency_limit" | "concurrency_key" }
  /** Another worker has the process of the run's thread, or offers its adapter in its pool. */
  | { kind: "elsewhere"; worker_id: string }
  /** The worker may claim it once it executes nothing else. */
  | { kind: "suspect" }
  | { kind: "not_claimable" };

/**
 * Takes a queued run for a worker, unless its agent or the queue is paused or its version is being built: raises the attempt (the fence) and sets the
 * lease by Postgres' clock. Runs that are claimed at the same time are one statement. Any number of workers may try at once:
 * the row lock lets one through.
 *
 * - A thread's runs are claimed one at a time, in order. The NOT EXISTS keeps the order; the partial unique index
 *   `runs_one_running_per_thread` closes the race.
 * - An agent with `concurrency` has as many slots; `runs_concurrency_slots` keeps two runs from one slot.
 * - A concurrency key has slots in the same way: `runs_key_slots`.
 * - A run is claimed by a worker of its pool.
 * - A run that was lost with its workers twice may be what ended them: it is claimed by a worker that executes nothing else.
 * - A run of lifecycle `daemon` is claimed only by the worker that owns its agent's daemon, which names the daemon's epoch.
 * - A run of lifecycle `interactive` is claimed only by the worker of its pool that has its thread's process, while there is one. The
 *   claim gives the process to its worker.
 */
export async function claimRun(db: Db, runId: string, worker: ClaimingWorker): Promise<Claim> {
  try {
    const shape = (await wantsEvent(db, "run.started")) ? "telling" : "quiet";
    const run = await db.inBatches(claims[shape], { runId, worker }, worker.id);
    if (run) return { kind: "claimed", run };
  } catch (error) {
    // Another claim took the same slot at the same time; another slot may be free.
    if (isUniqueViolation(error, "runs_concurrency_slots") || isUniqueViolation(error, "runs_key_slots"))
      return claimRun(db, runId, worker);
    if (!isUniqueViolation(error, "runs_one_running_per_thread")) throw error;
    return { kind: "waits", reason: "thread_busy" };
  }
  return whyNot(db, runId, worker);
}

async function whyNot(db: Db, id: string, worker: ClaimingWorker): Promise<Claim> {
  const run = await db.prisma.run.findUnique({
    where: { id },
    select: {
      status: true,
      thread_id: true,
      agent_id: true,
      version: true,
      lifecycle: true,
      adapter_type: true,
      pool: true,
      lost_attempts: true,
      concurrency: true,
      concurrency_key: true,
      key_concurrency: true,
    },
  });
  if (!run || !mayMove("claim", run.status, "running")) return { kind: "not_claimable" };
  const reason = await findHold(db, run);
  if (reason) return { kind: "waits", reason };
  if (run.lifecycle === "daemon") return { kind: "not_claimable" };
  const elsewhere = await findElsewhere(db, run, worker);
  if (elsewhere) return { kind: "elsewhere", worker_id: elsewhere };
  if (run.lost_attempts >= lossesUntilAlone && !worker.alone) return whereAlone(db, run, worker);
  if (run.thread_id && (await findAhead(db, run.thread_id, id)).length > 0)
    return { kind: "waits", reason: "thread_busy" };
  if (await isKeyFull(db, run)) return { kind: "waits", reason: "concurrency_key" };
  return run.concurrency === null ? { kind: "not_claimable" } : { kind: "waits", reason: "concurrency_limit" };
}

/** Returns what holds all runs of a version back. */
async function findHold(db: Db, run: { agent_id: string; version: string }): Promise<"paused" | "building" | null> {
  const agent = await db.prisma.agent.findUnique({ where: { id: run.agent_id }, select: { status: true } });
  if (agent?.status === "paused" || (await isPaused(db, "runs"))) return "paused";
  return (await isBuilding(db, run)) ? "building" : null;
}

/** One worker makes room for a run that is executed alone: the one with the most room, which it keeps while it takes no other run. */
async function whereAlone(db: Db, run: { adapter_type: string; pool: string }, worker: ClaimingWorker): Promise<Claim> {
  const roomiest = await findRoomiestWorker(db, run);
  return roomiest === null || roomiest === worker.id ? { kind: "suspect" } : { kind: "elsewhere", worker_id: roomiest };
}

/** Returns whether as many runs with the run's concurrency key run as may. */
async function isKeyFull(
  db: Db,
  run: { agent_id: string; concurrency_key: string | null; key_concurrency: number | null },
): Promise<boolean> {
  const { agent_id, concurrency_key, key_concurrency } = run;
  if (concurrency_key === null || key_concurrency === null) return false;
  const row = await slotsOfKey.first(db.sql, { agent_id, concurrency_key });
  return (row?.taken ?? 0) >= key_concurrency;
}

const slotsOfKey = statement({
  name: "count-slots-of-key",
  takes: { agent_id: t.text, concurrency_key: t.text },
  gives: { taken: t.integer },
  text: sql`
    SELECT count(*)::int AS taken FROM runs WHERE agent_id = $agent_id AND concurrency_key = $concurrency_key
      AND ${runIs.running()} AND key_slot IS NOT NULL`,
});

async function findElsewhere(
  db: Db,
  run: { lifecycle: string; thread_id: string | null; adapter_type: string; pool: string },
  worker: ClaimingWorker,
): Promise<string | null> {
  if (run.pool !== worker.pool || !worker.adapters.includes(run.adapter_type)) return findWorkerOffering(db, run);
  if (run.lifecycle !== "interactive" || run.thread_id === null) return null;
  const holder = await findProcessHolder(db, run.thread_id, run.pool);
  return holder === worker.id ? null : holder;
}

const input = parameterRows({ id: t.text, daemon_epoch: orNull(t.integer), alone: t.boolean });

/** `telling`: some webhook wants to hear of attempts that begin. The other statement has no part for it. */
type Shape = "quiet" | "telling";

/** Of one worker. */
const batchOf = (shape: Shape): Batch<{ runId: string; worker: ClaimingWorker }, ClaimedRun | null> => ({
  most: 64,
  apart: ({ runId }) => runId,
  async act(client, asked) {
    const [first] = asked;
    if (!first) return [];
    const { id: worker_id, leaseMs: lease_ms, sandbox, adapters, pool } = first.worker;
    const rows = asked.map(({ runId, worker: { daemon_epoch = null, alone = false } }) => ({
      ...{ id: runId, daemon_epoch, alone },
    }));
    const claimer = { worker_id, lease_ms, sandbox, adapters, pool };
    const claimed = await claim[shape].rows(client, { ...input.listsOf(rows), ...claimer });
    const byId = new Map(claimed.map((run) => [run.id, run]));
    return asked.map(({ runId }) => byId.get(runId) ?? null);
  },
});
const claims = { quiet: batchOf("quiet"), telling: batchOf("telling") };

const tellStarted = sql`, event AS (
      SELECT md5(id || ' started ' || attempt) AS seed, user_id, id AS run_id, agent_id, tags, 'run.started' AS type,
        ${briefPayload("moved", literal("run.started"))} AS payload FROM moved
    ), enqueued AS (
      ${enqueueWebhooks("event")}
    )`;

/** How many of the claimed runs with the same key are older. Without a window, which would sort the runs without a key, too. */
const olderOfKey = sql`(SELECT count(*) FROM free AS older WHERE older.agent_id = free.agent_id
      AND older.concurrency_key = free.concurrency_key AND (older.created_at, older.id) < (free.created_at, free.id))`;

const takes = {
  ...input.takes,
  worker_id: t.text,
  lease_ms: t.double,
  sandbox: t.json<SandboxReport>(),
  adapters: listOf(t.text),
  pool: t.text,
};

const textOf = (told: Sql): Sql => sql`
    WITH ${input.cte}, free AS (
      SELECT runs.id, runs.agent_id, runs.concurrency, runs.concurrency_key, runs.key_concurrency, runs.created_at,
        row_number() OVER (PARTITION BY runs.agent_id, runs.concurrency IS NULL ORDER BY runs.created_at, runs.id) AS nth
      FROM runs JOIN input USING (id)
      WHERE ${runIsStill.queued()} AND adapter_type = ANY($adapters)
        AND ${isFirstOfThread("runs")} AND ${isNotPaused("runs")}
        AND CASE WHEN lifecycle <> 'daemon' THEN daemon_epoch IS NULL AND runs.pool = $pool
            AND (NOT ${isSuspect("runs")} OR alone) ELSE EXISTS (
          SELECT 1 FROM daemons d
          WHERE d.agent_id = runs.agent_id AND d.epoch = daemon_epoch AND d.lease_until > now() ${perRow}) END
        AND (lifecycle <> 'interactive' OR NOT EXISTS (SELECT 1 FROM threads t
          WHERE t.id = runs.thread_id AND t.session_worker_id <> $worker_id AND t.session_until > now()
            AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = t.session_worker_id AND w.pool <> runs.pool ${perRow}) ${perRow}))
    ), granted AS (
      SELECT id, concurrency, CASE WHEN concurrency IS NOT NULL THEN ${freeSlot("free", sql`free.nth - 1`)} END AS slot,
        concurrency_key, CASE WHEN concurrency_key IS NOT NULL THEN ${freeKeySlot("free", olderOfKey)} END AS key_slot
      FROM free
    ), ${moveRuns("claim", {
      source: "granted",
      where: sql`(granted.concurrency IS NULL OR granted.slot IS NOT NULL)
        AND (granted.concurrency_key IS NULL OR granted.key_slot IS NOT NULL)`,
      set: sql`worker_id = $worker_id, sandbox = $sandbox, last_seq = 0, error = NULL, concurrency_slot = granted.slot,
        key_slot = granted.key_slot,
        lease_until = now() + $lease_ms * interval '1 ms', started_at = coalesce(started_at, now())`,
      returning: claimedColumns,
      reason: sql`$worker_id`,
    })}, held_threads AS (
      SELECT threads.id FROM threads JOIN moved ON threads.id = moved.thread_id AND moved.lifecycle = 'interactive'
      ORDER BY threads.id FOR UPDATE OF threads
    ), kept AS (
      UPDATE threads SET session_worker_id = $worker_id, session_until = now() + $lease_ms * interval '1 ms'
      FROM held_threads WHERE threads.id = held_threads.id
    )${told}
    ${selectClaimed("moved")}`;

const claimAs = (name: string, told: Sql) => statement({ name, takes, gives: claimedRun, text: textOf(told) });
const claim = { quiet: claimAs("claim-run", sql``), telling: claimAs("claim-run-telling", tellStarted) };
