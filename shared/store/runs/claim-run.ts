import { transitions } from "../../domain/run/transitions.ts";
import type { SandboxReport, Usage } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { findAhead } from "../threads/find-ahead.ts";
import { findSession } from "../threads/keep-sessions.ts";
import { findTaker } from "../workers/find-taker.ts";
import { isPaused } from "../queues/pauses.ts";
import { isUniqueViolation } from "../sql-faults.ts";
import { hasStatus } from "./has-status.ts";
import { isNotPaused, freeSlot, isFirstOfThread } from "./claimable.ts";

/** A claimed run, with all that its worker needs but its version's config. Secrets are still sealed. */
export type ClaimedRun = {
  id: string;
  attempt: number;
  user_id: string;
  agent_id: string;
  version: string;
  thread_id: string | null;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  timeout_ms: number;
  concurrency: number | null;
  /** In how many attempts its agent has failed. */
  failed_attempts: number;
  /** What those attempts took that came to an end of their own and weren't the last. */
  spent: Usage | null;
  spent_ms: number | null;
  input_payload: Record<string, unknown>;
  history: unknown[];
  answers: unknown[];
  state_snapshot: string | null;
  metadata: Record<string, unknown>;
  traceparent: string | null;
  /** Of its agent; null where that is gone. */
  agent_revision: string | null;
  sealed_env: Buffer | null;
  sealed_files: Buffer | null;
  /** Of the agent: name → sealed value, as hex. */
  agent_secrets: Record<string, string>;
  thread_state: string | null;
  thread_messages: { role: string; content: unknown }[];
  /** Why it waited before its first claim, when that was said in its stream. */
  wait_reason: string | null;
  /** Why the attempt before this one came to nothing; null for a first one. */
  requeue_reason: string | null;
};

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
  | { kind: "waits"; reason: "thread_busy" | "paused" | "concurrency_limit" }
  /** Another worker keeps the process of the run's thread, or offers its adapter. */
  | { kind: "elsewhere"; worker_id: string }
  | { kind: "not_claimable" };

/**
 * Takes a queued run for a worker, unless its agent or the queue is paused: raises the attempt (the fence) and sets the lease by Postgres' clock.
 * Any number of workers may try at once: the row lock lets one through. A thread's runs go one at a time, in order: the
 * NOT EXISTS keeps the order, the partial unique index `runs_one_running_per_thread` closes the race; an agent that may run so
 * many at once has as many places, and `runs_concurrency_slots` keeps two runs from one of them. A run of lifecycle
 * `daemon` is taken by the owner of its agent's daemon only, and that owner takes no other. One of lifecycle `interactive`
 * is taken by the worker that keeps its thread's process, while there is one; the claim makes its worker that.
 */
export async function claimRun(db: Db, runId: string, worker: ClaimingWorker): Promise<Claim> {
  try {
    const { rows } = await db.sql.query<ClaimedRun>({
      ...statement,
      values: [
        runId,
        worker.id,
        worker.leaseMs,
        JSON.stringify(worker.sandbox),
        worker.daemon_epoch ?? null,
        worker.adapters,
      ],
    });
    if (rows[0]) return { kind: "claimed", run: rows[0] };
  } catch (error) {
    // Another claim took the same place at the same time; there may be a next one.
    if (isUniqueViolation(error, "runs_concurrency_slots")) return claimRun(db, runId, worker);
    if (!isUniqueViolation(error, "runs_one_running_per_thread")) throw error;
    return { kind: "waits", reason: "thread_busy" };
  }
  return whyNot(db, runId, worker);
}

async function whyNot(db: Db, id: string, worker: ClaimingWorker): Promise<Claim> {
  const run = await db.prisma.run.findUnique({
    where: { id },
    select: { status: true, thread_id: true, agent_id: true, lifecycle: true, adapter_type: true, concurrency: true },
  });
  if (run?.status !== "queued") return { kind: "not_claimable" };
  const agent = await db.prisma.agent.findUnique({ where: { id: run.agent_id }, select: { status: true } });
  if (agent?.status === "paused" || (await isPaused(db, "runs"))) return { kind: "waits", reason: "paused" };
  if (run.lifecycle === "daemon") return { kind: "not_claimable" };
  const elsewhere = await findElsewhere(db, run, worker);
  if (elsewhere) return { kind: "elsewhere", worker_id: elsewhere };
  if (run.thread_id && (await findAhead(db, run.thread_id, id)).length > 0)
    return { kind: "waits", reason: "thread_busy" };
  return run.concurrency === null ? { kind: "not_claimable" } : { kind: "waits", reason: "concurrency_limit" };
}

async function findElsewhere(
  db: Db,
  run: { lifecycle: string; thread_id: string | null; adapter_type: string },
  worker: ClaimingWorker,
): Promise<string | null> {
  if (!worker.adapters.includes(run.adapter_type)) return findTaker(db, run.adapter_type);
  if (run.lifecycle !== "interactive" || run.thread_id === null) return null;
  const holder = await findSession(db, run.thread_id);
  return holder === worker.id ? null : holder;
}

const statement = {
  name: "claim-run",
  text: `
    WITH claimed AS (
      UPDATE runs SET attempt = attempt + 1, status = 'running', worker_id = $2, sandbox = $4, last_seq = 0, error = NULL,
        concurrency_slot = CASE WHEN concurrency IS NOT NULL THEN ${freeSlot("runs")} END,
        lease_until = now() + $3 * interval '1 ms', started_at = coalesce(started_at, now())
      WHERE id = $1 AND ${hasStatus("runs", ...transitions.claim.from)} AND adapter_type = ANY($6)
        AND ${isFirstOfThread("runs")} AND ${isNotPaused("runs")}
        AND (concurrency IS NULL OR ${freeSlot("runs")} IS NOT NULL)
        AND CASE WHEN lifecycle <> 'daemon' THEN $5::int IS NULL ELSE EXISTS (
          SELECT 1 FROM daemons d WHERE d.agent_id = runs.agent_id AND d.epoch = $5 AND d.lease_until > now()) END
        AND (lifecycle <> 'interactive' OR NOT EXISTS (SELECT 1 FROM threads t
          WHERE t.id = runs.thread_id AND t.session_worker_id <> $2 AND t.session_until > now()))
      RETURNING *
    ), session AS (
      UPDATE threads SET session_worker_id = $2, session_until = now() + $3 * interval '1 ms'
      FROM claimed WHERE threads.id = claimed.thread_id AND claimed.lifecycle = 'interactive'
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, attempt, 'queued', 'running', 'worker', worker_id FROM claimed
    )
    SELECT c.id, c.attempt, c.user_id, c.agent_id, c.version, c.thread_id, c.adapter_type, c.runtime_mode, c.lifecycle,
      c.timeout_ms, c.concurrency, c.failed_attempts, c.usage AS spent, c.duration_ms AS spent_ms,
      c.input_payload, c.history, c.state_snapshot, c.metadata, c.traceparent, c.wait_reason,
      a.revision AS agent_revision, s.sealed_env, s.sealed_files, coalesce(k.agent_secrets, '{}'::json) AS agent_secrets,
      t.state_snapshot AS thread_state,
      CASE WHEN c.thread_id IS NULL THEN '[]'::json ELSE (
        SELECT coalesce(json_agg(json_build_object('role', m.role, 'content', m.content) ORDER BY m.seq), '[]'::json)
        FROM (SELECT * FROM thread_messages WHERE thread_id = c.thread_id ORDER BY seq DESC LIMIT 1000) m) END
        AS thread_messages,
      CASE WHEN c.attempt = 1 THEN '[]'::json ELSE (
        SELECT coalesce(json_agg(response ORDER BY created_at, id), '[]'::json) FROM interrupts
        WHERE run_id = c.id AND answered_at IS NOT NULL) END AS answers,
      CASE WHEN c.attempt > 1 THEN (
        SELECT reason FROM run_transitions WHERE run_id = c.id AND "to" = 'queued' ORDER BY seq DESC LIMIT 1) END
        AS requeue_reason
    FROM claimed c
    LEFT JOIN LATERAL (
      SELECT json_object_agg(name, encode(sealed_value, 'hex')) AS agent_secrets FROM agent_secrets
      WHERE agent_id = c.agent_id
    ) k ON true
    LEFT JOIN agents a ON a.id = c.agent_id
    LEFT JOIN run_secrets s ON s.run_id = c.id
    LEFT JOIN threads t ON t.id = c.thread_id`,
};
