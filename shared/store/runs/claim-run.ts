import { requestLimits } from "../../domain/run/limits.ts";
import type { StoredMessage } from "../../domain/thread/message-text.ts";
import type { GivenOptions } from "../../schemas/request-options.ts";
import type { SandboxReport, Usage } from "../../schemas/run-event.ts";
import type { Batch } from "../batch.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { inputRows } from "../input-rows.ts";
import { briefPayload, enqueueWebhooks } from "../outbox/enqueue-webhooks.ts";
import { literal, perRow, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { findAhead } from "../threads/find-ahead.ts";
import { findSession } from "../threads/sessions.ts";
import { findWorkerOffering } from "../workers/find-worker-offering.ts";
import { wantsEvent } from "../webhooks/wanted-events.ts";
import { isPaused } from "../queues/pauses.ts";
import { isUniqueViolation } from "../sql-faults.ts";
import { mayMove } from "../../domain/run/transitions.ts";
import { freeKeySlot, freeSlot, isFirstOfThread, isNotPaused } from "./claimable.ts";
import { messageBytes } from "../threads/message-bytes.ts";
import { moveRuns, statusAfter } from "./move-runs.ts";
import { runIs, runIsStill } from "./run-is.ts";

const claimedRun = {
  id: t.text,
  attempt: t.integer,
  user_id: t.text,
  agent_id: t.text,
  version: t.text,
  thread_id: orNull(t.text),
  adapter_type: t.text,
  runtime_mode: t.text,
  lifecycle: t.text,
  timeout_ms: t.integer,
  concurrency: orNull(t.integer),
  /** In how many attempts its agent has failed. */
  failed_attempts: t.integer,
  /** Usage of earlier attempts that failed and were retried, and of those that asked a person. */
  spent: orNull(t.json<Usage>()),
  spent_ms: orNull(t.integer),
  input_payload: t.json<Record<string, unknown>>(),
  history: t.json<unknown[]>(),
  state_snapshot: orNull(t.json<string>()),
  metadata: t.json<Record<string, unknown>>(),
  /** What its request asks of it; null: nothing. */
  request_options: orNull(t.json<GivenOptions>()),
  traceparent: orNull(t.text),
  /** Why it waited before its first claim, when that was said in its stream. */
  wait_reason: orNull(t.text),
  /** Of its agent; null when the agent is gone. */
  agent_revision: orNull(t.bigint),
  sealed_env: orNull(t.bytea),
  sealed_files: orNull(t.bytea),
  /** Of the agent: name → sealed value, as hex. */
  agent_secrets: t.json<Record<string, string>>(),
  thread_state: orNull(t.json<string>()),
  thread_messages: t.json<StoredMessage[]>(),
  answers: t.json<unknown[]>(),
  /** Why the attempt before this one came to nothing; null for a first attempt. */
  requeue_reason: orNull(t.text),
};

/** A claimed run, with all that its worker needs but its version's config. Secrets are still sealed. */
export type ClaimedRun = Row<typeof claimedRun>;

export type ClaimingWorker = {
  id: string;
  leaseMs: number;
  sandbox: SandboxReport;
  /** The adapter types that it offers. */
  adapters: string[];
  /** By which it owns the agent's daemon, when it claims on the daemon's behalf. */
  daemon_epoch?: number;
};

export type Claim =
  | { kind: "claimed"; run: ClaimedRun }
  | { kind: "waits"; reason: "thread_busy" | "paused" | "concurrency_limit" | "concurrency_key" }
  /** Another worker has the process of the run's thread, or offers its adapter. */
  | { kind: "elsewhere"; worker_id: string }
  | { kind: "not_claimable" };

/**
 * Takes a queued run for a worker, unless its agent or the queue is paused: raises the attempt (the fence) and sets the
 * lease by Postgres' clock. Runs that are claimed at the same time are one statement. Any number of workers may try at once:
 * the row lock lets one through.
 *
 * - A thread's runs are claimed one at a time, in order. The NOT EXISTS keeps the order; the partial unique index
 *   `runs_one_running_per_thread` closes the race.
 * - An agent with `concurrency` has as many slots; `runs_concurrency_slots` keeps two runs from one slot.
 * - A concurrency key has slots in the same way: `runs_key_slots`.
 * - A run of lifecycle `daemon` is claimed only by the worker that owns its agent's daemon, which names the daemon's epoch.
 * - A run of lifecycle `interactive` is claimed only by the worker that has its thread's process, while there is one. The
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
      lifecycle: true,
      adapter_type: true,
      concurrency: true,
      concurrency_key: true,
      key_concurrency: true,
    },
  });
  if (!run || !mayMove("claim", run.status, "running")) return { kind: "not_claimable" };
  const agent = await db.prisma.agent.findUnique({ where: { id: run.agent_id }, select: { status: true } });
  if (agent?.status === "paused" || (await isPaused(db, "runs"))) return { kind: "waits", reason: "paused" };
  if (run.lifecycle === "daemon") return { kind: "not_claimable" };
  const elsewhere = await findElsewhere(db, run, worker);
  if (elsewhere) return { kind: "elsewhere", worker_id: elsewhere };
  if (run.thread_id && (await findAhead(db, run.thread_id, id)).length > 0)
    return { kind: "waits", reason: "thread_busy" };
  if (await isKeyFull(db, run)) return { kind: "waits", reason: "concurrency_key" };
  return run.concurrency === null ? { kind: "not_claimable" } : { kind: "waits", reason: "concurrency_limit" };
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
  run: { lifecycle: string; thread_id: string | null; adapter_type: string },
  worker: ClaimingWorker,
): Promise<string | null> {
  if (!worker.adapters.includes(run.adapter_type)) return findWorkerOffering(db, run.adapter_type);
  if (run.lifecycle !== "interactive" || run.thread_id === null) return null;
  const holder = await findSession(db, run.thread_id);
  return holder === worker.id ? null : holder;
}

const input = inputRows({ id: t.text, daemon_epoch: orNull(t.integer) });

/** `telling`: some webhook wants to hear of attempts that begin. The other statement has no part for it. */
type Shape = "quiet" | "telling";

/** Of one worker. */
const batchOf = (shape: Shape): Batch<{ runId: string; worker: ClaimingWorker }, ClaimedRun | null> => ({
  most: 64,
  apart: ({ runId }) => runId,
  async act(client, asked) {
    const [first] = asked;
    if (!first) return [];
    const { id: worker_id, leaseMs: lease_ms, sandbox, adapters } = first.worker;
    const rows = asked.map(({ runId, worker: { daemon_epoch = null } }) => ({ id: runId, daemon_epoch }));
    const claimed = await claim[shape].rows(client, { ...input.listsOf(rows), worker_id, lease_ms, sandbox, adapters });
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
};

const textOf = (told: Sql): Sql => sql`
    WITH ${input.cte}, free AS (
      SELECT runs.id, runs.agent_id, runs.concurrency, runs.concurrency_key, runs.key_concurrency, runs.created_at,
        row_number() OVER (PARTITION BY runs.agent_id, runs.concurrency IS NULL ORDER BY runs.created_at, runs.id) AS nth
      FROM runs JOIN input USING (id)
      WHERE ${runIsStill.queued()} AND adapter_type = ANY($adapters)
        AND ${isFirstOfThread("runs")} AND ${isNotPaused("runs")}
        AND CASE WHEN lifecycle <> 'daemon' THEN daemon_epoch IS NULL ELSE EXISTS (
          SELECT 1 FROM daemons d
          WHERE d.agent_id = runs.agent_id AND d.epoch = daemon_epoch AND d.lease_until > now() ${perRow}) END
        AND (lifecycle <> 'interactive' OR NOT EXISTS (SELECT 1 FROM threads t
          WHERE t.id = runs.thread_id AND t.session_worker_id <> $worker_id AND t.session_until > now() ${perRow}))
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
      returning: sql`runs.user_id, runs.agent_id, runs.tags, runs.version, runs.thread_id, runs.adapter_type, runs.runtime_mode,
        runs.lifecycle, runs.timeout_ms, runs.concurrency, runs.failed_attempts, runs.usage, runs.duration_ms,
        runs.input_payload, runs.history, runs.state_snapshot, runs.metadata, runs.request_options,
        runs.traceparent, runs.wait_reason`,
      reason: sql`$worker_id`,
    })}, held_threads AS (
      SELECT threads.id FROM threads JOIN moved ON threads.id = moved.thread_id AND moved.lifecycle = 'interactive'
      ORDER BY threads.id FOR UPDATE OF threads
    ), kept AS (
      UPDATE threads SET session_worker_id = $worker_id, session_until = now() + $lease_ms * interval '1 ms'
      FROM held_threads WHERE threads.id = held_threads.id
    )${told}
    SELECT c.id, c.attempt, c.user_id, c.agent_id, c.version, c.thread_id, c.adapter_type, c.runtime_mode, c.lifecycle,
      c.timeout_ms, c.concurrency, c.failed_attempts, c.usage AS spent, c.duration_ms AS spent_ms,
      c.input_payload, c.history, c.state_snapshot, c.metadata, c.request_options, c.traceparent, c.wait_reason,
      a.revision AS agent_revision, s.sealed_env, s.sealed_files, coalesce(k.agent_secrets, '{}'::json) AS agent_secrets,
      t.state_snapshot AS thread_state,
      CASE WHEN c.thread_id IS NULL THEN '[]'::json ELSE (
        SELECT coalesce(json_agg(json_build_object('role', m.role, 'content', m.content, 'said', m.said) ORDER BY m.seq),
          '[]'::json)
        FROM (SELECT n.*, sum(${messageBytes("n")}) OVER (ORDER BY n.seq DESC) - ${messageBytes("n")} AS newer
          FROM (SELECT * FROM thread_messages WHERE thread_id = c.thread_id
            ORDER BY seq DESC LIMIT ${literal(requestLimits.history_items)}) n) m
        WHERE m.newer < ${literal(requestLimits.thread_history_bytes)}) END
        AS thread_messages,
      CASE WHEN c.attempt = 1 THEN '[]'::json ELSE (
        SELECT coalesce(json_agg(response ORDER BY created_at, id), '[]'::json) FROM interrupts
        WHERE run_id = c.id AND answered_at IS NOT NULL) END AS answers,
      CASE WHEN c.attempt > 1 THEN (
        SELECT reason FROM run_transitions WHERE run_id = c.id AND "to" = ${statusAfter("accept")} ORDER BY seq DESC LIMIT 1) END
        AS requeue_reason
    FROM moved c
    LEFT JOIN LATERAL (
      SELECT json_object_agg(name, encode(sealed_value, 'hex')) AS agent_secrets FROM agent_secrets
      WHERE agent_id = c.agent_id
    ) k ON true
    LEFT JOIN agents a ON a.id = c.agent_id
    LEFT JOIN run_secrets s ON s.run_id = c.id
    LEFT JOIN threads t ON t.id = c.thread_id`;

const claimAs = (name: string, told: Sql) => statement({ name, takes, gives: claimedRun, text: textOf(told) });
const claim = { quiet: claimAs("claim-run", sql``), telling: claimAs("claim-run-telling", tellStarted) };
