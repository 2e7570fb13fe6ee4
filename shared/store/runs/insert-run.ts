import type { StreamEvent } from "../../schemas/run-event.ts";
import type { MultitaskStrategy } from "../../schemas/agent-config.ts";
import type { Db, Queryable } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { isUniqueViolation } from "../sql-faults.ts";
import { keepsBusy } from "../threads/busy.ts";
import { inTransaction } from "../in-transaction.ts";

/** A run that is being accepted; all that its row needs. Dates come from Postgres' clock except the id's. */
export type NewRun = {
  id: string;
  user_id: string;
  agent_id: string;
  version: string;
  /** Of the agent, where what is known of it was remembered, not read just now. */
  agent_revision: string | null;
  thread_id: string | null;
  /** What becomes of it where its thread has a run that has not ended. */
  multitask: MultitaskStrategy;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  timeout_ms: number;
  concurrency: number | null;
  max_attempts: number;
  queue_ttl_ms: number;
  input_payload: unknown;
  history: unknown[];
  state_snapshot: string | null;
  env_names: string[];
  files: { name: string; size: number; sha256: string }[];
  sealed_env: Buffer | null;
  sealed_files: Buffer | null;
  request_hash: Buffer;
  completion_callback_url: string | null;
  traceparent: string | null;
  origin: "api" | "job" | "daemon" | "replay";
  replay_of: string | null;
  job_id: string | null;
  metadata: unknown;
  queued_event: StreamEvent;
};

/**
 * `taken`: the id exists already; whether by the same request is for the caller to tell from `request_hash`.
 * `foreign_thread`: the thread is somebody else's. `thread_busy`: it has a run, and this one wants it to itself.
 */
export type Insertion =
  | { kind: "inserted" }
  | { kind: "taken"; user_id: string; request_hash: Buffer }
  | { kind: "foreign_thread" }
  | { kind: "thread_busy" };

/** The agent has changed since it was read, or the thread isn't the owner's; nothing was written. */
export class AgentChanged extends Error {
  override name = "AgentChanged";
}

/**
 * Commits an accepted run with its thread, sealed secrets, first transition and first event, if the thread is `owner`'s or
 * nobody's yet. Concurrent inserts of one id: the primary key lets one through, the others get `taken`.
 * Throws AgentChanged where the run was made of what was remembered of its agent, and that may be outdated.
 */
export async function insertRun(db: Db, run: NewRun, owner: Owner): Promise<Insertion> {
  try {
    if (run.multitask !== "reject" || run.thread_id === null) return await insertRunIn(db.sql, run, owner);
    return await inTransaction(db, (client) => insertRunIn(client, run, owner));
  } catch (error) {
    // Whichever table's key noticed first: all of them begin with the run's id.
    if (!isUniqueViolation(error)) throw error;
    const found = await db.prisma.run.findUniqueOrThrow({
      where: { id: run.id },
      select: { user_id: true, request_hash: true },
    });
    return { kind: "taken", user_id: found.user_id, request_hash: Buffer.from(found.request_hash) };
  }
}

/**
 * The same within a transaction, where a run id that is taken is an error. Every insert into a thread locks the thread's
 * row until it is committed, and takes its time (created_at) after that: so a thread's runs stand in the order of their
 * commits. One that wants the thread to itself locks it in a statement before: the next one then sees all that is there.
 */
export async function insertRunIn(client: Queryable, run: NewRun, owner: Owner): Promise<Insertion> {
  const alone = run.multitask === "reject" && run.thread_id !== null;
  if (alone) {
    const locked = await client.query(lockThread, [run.thread_id, run.user_id, run.agent_id, owner]);
    if (locked.rowCount === 0) return { kind: "foreign_thread" };
  }
  const { rowCount } = await client.query({ ...statement, values: [...valuesOf(run), owner, alone] });
  if (rowCount === 1) return { kind: "inserted" };
  if (run.agent_revision !== null) throw new AgentChanged();
  return { kind: alone ? "thread_busy" : "foreign_thread" };
}

const lockThread = `
  INSERT INTO threads (id, user_id, agent_id) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO UPDATE SET updated_at = now() WHERE $4::text IS NULL OR threads.user_id = $4`;

const statement = {
  name: "insert-run",
  text: `
    WITH unchanged AS (
      SELECT 1 WHERE $28::bigint IS NULL OR EXISTS (SELECT 1 FROM agents WHERE id = $3 AND revision = $28)
    ), thread AS (
      INSERT INTO threads (id, user_id, agent_id) SELECT $5, $2, $3 FROM unchanged WHERE $5::text IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET updated_at = now() WHERE $29::text IS NULL OR threads.user_id = $29
      RETURNING id
    ), run AS (
      INSERT INTO runs (id, user_id, agent_id, version, thread_id, adapter_type, runtime_mode, lifecycle, timeout_ms,
        max_attempts, expires_at, input_payload, history, state_snapshot, env_names, files, request_hash,
        completion_callback_url, traceparent, origin, metadata, replay_of, job_id, concurrency, created_at)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + $11 * interval '1 ms', $12, $13, $14, $15, $16, $17,
        $18, $19, $20::run_origin, $21, $25, $26, $27::int, clock_timestamp()
      FROM unchanged WHERE ($5::text IS NULL OR EXISTS (SELECT 1 FROM thread)) AND (NOT $30::boolean
        OR EXISTS (SELECT 1 FROM runs WHERE id = $1)
        OR NOT EXISTS (SELECT 1 FROM runs WHERE ${keepsBusy("$5")}))
      RETURNING id
    ), secrets AS (
      INSERT INTO run_secrets (run_id, sealed_env, sealed_files)
      SELECT id, $22::bytea, $23::bytea FROM run WHERE $22::bytea IS NOT NULL OR $23::bytea IS NOT NULL
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "to", actor) SELECT id, 0, 'queued', $20::text FROM run
    )
    INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events) SELECT id, 0, 1, 1, $24 FROM run`,
};

function valuesOf(run: NewRun): unknown[] {
  const { seq, type, data } = run.queued_event;
  return [
    run.id,
    run.user_id,
    run.agent_id,
    run.version,
    run.thread_id,
    run.adapter_type,
    run.runtime_mode,
    run.lifecycle,
    run.timeout_ms,
    run.max_attempts,
    run.queue_ttl_ms,
    JSON.stringify(run.input_payload),
    JSON.stringify(run.history),
    run.state_snapshot === null ? null : JSON.stringify(run.state_snapshot),
    run.env_names,
    JSON.stringify(run.files),
    run.request_hash,
    run.completion_callback_url,
    run.traceparent,
    run.origin,
    JSON.stringify(run.metadata),
    run.sealed_env,
    run.sealed_files,
    JSON.stringify([[seq, type, data]]),
    run.replay_of,
    run.job_id,
    run.concurrency,
    run.agent_revision,
  ];
}
