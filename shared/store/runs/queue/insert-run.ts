import { AppError } from "../../../domain/errors/app-error.ts";
import { labelsOf } from "../../../domain/run/labels.ts";
import type { StreamEvent } from "../../../schemas/run-event.ts";
import type { MultitaskStrategy } from "../../../schemas/agent-config.ts";
import type { GivenOptions } from "../../../schemas/request-options.ts";
import type { Batch } from "../../batch.ts";
import type { Db, Queryable } from "../../client.ts";
import type { Owner } from "../../owned-by.ts";
import { listOf, orNull, type Row, t } from "../../columns.ts";
import { parameterRows } from "../../parameter-rows.ts";
import { inTransaction } from "../../in-transaction.ts";
import { type CopiedEntry, copyEntries } from "../../journal/copy-entries.ts";
import { enqueueWebhooks, briefPayload } from "../../outbox/enqueue-webhooks.ts";
import { literal, perRow, type Sql, sql } from "../../sql.ts";
import { isUniqueViolation } from "../../sql-faults.ts";
import { statement } from "../../statement.ts";
import { advisoryLock, userLockName } from "../../user-limits.ts";
import { wantsEvent, wantsEventNow } from "../../webhooks/wanted-events.ts";
import { keepsThreadBusy } from "../../threads/keeps-thread-busy.ts";
import { isNotPaused } from "./claimable.ts";
import { noteMove, statusAfter } from "../moves/move-runs.ts";
import { ensureThread } from "./ensure-thread.ts";
import { optionColumns } from "./option-columns.ts";
import { isBounded, type PlanRunLimits, planLimitFault } from "./plan-limits.ts";
import { chunkColumns, chunkOf, insertChunks } from "../transcript/transcript-chunk.ts";

/** A run that is being accepted: all that its row needs. Its times come from Postgres' clock, all but that in its id. */
export type NewRun = {
  id: string;
  user_id: string;
  agent_id: string;
  version: string;
  /** Of the agent, when the run was made of a cached version; null when the version was read just now. */
  agent_revision: string | null;
  thread_id: string | null;
  /** What happens when its thread has a run that has not ended. */
  multitask: MultitaskStrategy;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  /** Whose workers take it. */
  pool: string;
  timeout_ms: number;
  concurrency: number | null;
  max_attempts: number;
  queue_ttl_ms: number;
  /** What its request asks of it; null: nothing. */
  request_options: GivenOptions | null;
  /** How many runs with its concurrency key may run at once; null without a key. */
  key_concurrency: number | null;
  /** When it joins the queue, or after which time; both null: at once. */
  run_at: Date | null;
  delay_ms: number | null;
  /** Until it joins the queue, a request with this key replaces its request. */
  debounce_key: string | null;
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
  origin: "api" | "job" | "daemon" | "replay" | "run";
  /** Who started it, such as a key's id. Null: the service itself. */
  by: string | null;
  replay_of: string | null;
  /** The bulk operation that makes it. */
  bulk_id?: string | undefined;
  job_id: string | null;
  metadata: Record<string, unknown>;
  tags: string[];
  queued_event: StreamEvent;
  /** The journal that it begins with, of a run that goes on where another one was. */
  beginning?: CopiedEntry[];
  /** Of the plan that it is accepted under, and priced by. */
  bounds: PlanRunLimits;
};

const grant = {
  /** Of its agent. */
  agent_revision: orNull(t.bigint),
  /** Of its agent: name → sealed value, as hex. */
  agent_secrets: t.json<Record<string, string>>(),
  /** By the clock of Postgres, epoch ms. */
  lease_until: t.double,
};

/** A run that is running already, as the first attempt of the worker that it was granted to. */
export type Grant = Row<typeof grant>;

/**
 * `taken`: the id exists already; the caller compares `request_hash` to see whether by the same request.
 * `used`: a run had the id that was executed and is deleted. What it has cost is booked under the id, which no other run may have.
 * `debounced`: a run with its debounce key waits already. `foreign_thread`: the thread is somebody else's. `thread_busy`: it has a run, and this one wants it to itself.
 */
export type Insertion =
  | { kind: "inserted"; grant: Grant | null }
  | { kind: "taken"; user_id: string; request_hash: Buffer }
  | { kind: "used" }
  | { kind: "debounced" }
  | { kind: "foreign_thread" }
  | { kind: "thread_busy" };

type Refusal = "foreign_thread" | "thread_busy";
/** What became of a row: where the run is, or why it was not inserted. */
type InsertOutcome = "queued" | { grant: Grant } | Refusal;

/** The agent has changed since it was cached, or the thread isn't the owner's; nothing was written. */
export class AgentChanged extends Error {
  override name = "AgentChanged";
}

/**
 * Commits an accepted run with its thread, sealed secrets, first transition and first event, if the thread is `owner`'s or
 * nobody's yet. Runs that are accepted at the same time are one statement. Concurrent inserts of one id: the primary key lets
 * one through, the others get `taken`. A run of a user whose plan bounds them is counted with those that are open now.
 * Throws too_many_requests when the plan has no room, and AgentChanged when the run was made of a cached version of its agent that may be outdated.
 *
 * `worker_id`: the run is granted to this worker, in the same statement, if it may begin now: then its first attempt is the
 * worker's, with a lease as long as the worker asks for. Only for a run that waits for nothing.
 */
export async function insertRun(
  db: Db,
  run: NewRun,
  owner: Owner,
  worker_id: string | null = null,
): Promise<Insertion> {
  try {
    return await insertAlone(db, run, owner, worker_id);
  } catch (error) {
    if (isUniqueViolation(error, "runs_debounced")) return { kind: "debounced" };
    throw error;
  }
}

async function insertAlone(db: Db, run: NewRun, owner: Owner, worker_id: string | null): Promise<Insertion> {
  const fate = await insertOrRefuse(db, run, owner, worker_id);
  if (fate === "queued") return { kind: "inserted", grant: null };
  if (!(fate instanceof AppError) && typeof fate === "object") return { kind: "inserted", grant: fate.grant };
  const found = await db.prisma.run.findUnique({
    where: { id: run.id },
    select: { user_id: true, request_hash: true },
  });
  if (found) return { kind: "taken", user_id: found.user_id, request_hash: Buffer.from(found.request_hash) };
  if (await findUsed.first(db.sql, { id: run.id })) return { kind: "used" };
  if (fate instanceof AppError) throw fate;
  if (run.agent_revision !== null) throw new AgentChanged();
  return { kind: fate };
}

/** A run that is counted or exclusive is inserted behind a lock; all others go together. */
async function insertOrRefuse(
  db: Db,
  run: NewRun,
  owner: Owner,
  worker_id: string | null,
): Promise<InsertOutcome | AppError> {
  const alone = () => inTransaction(db, (client) => insertBehindLocks(client, run, owner));
  if (isBounded(run.bounds)) return db.withMutex(userLockName("runs", run.user_id), alone);
  if (isExclusive(run) || run.beginning) return alone();
  const row = rowOf(run, owner);
  if (await wantsEvent(db, "run.queued")) return db.inBatches(inserts.telling, row);
  // A worker tells of attempts that it begins; an attempt that begins here is told by nobody.
  if (worker_id === null || (await wantsEvent(db, "run.started"))) return db.inBatches(inserts.quiet, row);
  return db.inBatches(grants, { ...row, worker_id });
}

/**
 * Locks what the run's room is counted by, in statements before: those that follow see every run that was committed meanwhile.
 */
async function insertBehindLocks(client: Queryable, run: NewRun, owner: Owner): Promise<"queued" | Refusal | AppError> {
  if (isBounded(run.bounds)) {
    await advisoryLock.count(client, { lock: userLockName("runs", run.user_id) });
    const full = await planLimitFault(client, run.user_id, run.bounds);
    if (full) return full;
  }
  const fate = await (isExclusive(run) ? insertExclusive(client, run, owner) : insertOne(client, run, owner));
  if (fate === "queued" && run.beginning) await copyEntries(client, run.id, run.beginning);
  return fate;
}

/**
 * The same within a transaction, where a run id that is taken is an error. Every insert into a thread locks the thread's
 * row until it is committed, and takes its time (created_at) after that: so a thread's runs stand in the order of their
 * commits.
 */
export async function insertRunIn(client: Queryable, run: NewRun, owner: Owner): Promise<Insertion> {
  const fate = await insertBehindLocks(client, run, owner);
  if (fate instanceof AppError) throw fate;
  if (fate === "queued") return { kind: "inserted", grant: null };
  if (run.agent_revision !== null) throw new AgentChanged();
  return { kind: fate };
}

/** Whether the run's thread must have no run that has not ended. */
const isExclusive = ({ multitask, thread_id }: NewRun): boolean => multitask === "reject" && thread_id !== null;

/**
 * Locks the run's thread in a statement before: the insert then sees every run that the thread has.
 */
async function insertExclusive(client: Queryable, run: NewRun, owner: Owner): Promise<"queued" | Refusal> {
  const { thread_id, user_id, agent_id } = run;
  const locked = await ensureThread.count(client, { thread_id: thread_id ?? "", user_id, agent_id, owner });
  if (locked === 0) return "foreign_thread";
  const fate = await insertOne(client, run, owner);
  return fate === "foreign_thread" ? "thread_busy" : fate;
}

async function insertOne(client: Queryable, run: NewRun, owner: Owner): Promise<"queued" | Refusal> {
  const shape = (await wantsEventNow(client, "run.queued")) ? "telling" : "quiet";
  const rows = await insert[shape](client, [rowOf(run, owner)]);
  return rows.length > 0 ? "queued" : "foreign_thread";
}

const columns = {
  id: t.text,
  user_id: t.text,
  agent_id: t.text,
  version: t.text,
  agent_revision: orNull(t.bigint),
  thread_id: orNull(t.text),
  adapter_type: t.text,
  runtime_mode: t.text,
  lifecycle: t.text,
  pool: t.text,
  timeout_ms: t.integer,
  concurrency: orNull(t.integer),
  max_attempts: t.integer,
  queue_ttl_ms: t.double,
  request_options: orNull(t.json<GivenOptions>()),
  key_concurrency: orNull(t.integer),
  run_at: orNull(t.timestamptz),
  delay_ms: orNull(t.double),
  debounce_key: orNull(t.text),
  input_payload: t.jsonText,
  history: t.jsonText,
  state_snapshot: orNull(t.json<string>()),
  env_names: listOf(t.text),
  files: t.json<NewRun["files"]>(),
  sealed_env: orNull(t.bytea),
  sealed_files: orNull(t.bytea),
  request_hash: t.bytea,
  completion_callback_url: orNull(t.text),
  traceparent: orNull(t.text),
  origin: t.enumeration<NewRun["origin"]>("run_origin"),
  by: orNull(t.text),
  replay_of: orNull(t.text),
  job_id: orNull(t.text),
  plan_id: orNull(t.text),
  metadata: t.json(),
  tags: listOf(t.text),
  labels: listOf(t.text),
  ...chunkColumns,
  owner: orNull(t.text),
  exclusive: t.boolean,
};
type RunRow = Row<typeof columns>;
const grantColumns = { ...columns, worker_id: t.text };
type GrantRow = Row<typeof grantColumns>;

function rowOf(run: NewRun, owner: Owner): RunRow {
  return {
    ...run,
    plan_id: run.bounds.plan_id,
    labels: labelsOf(run),
    input_payload: JSON.stringify(run.input_payload),
    history: JSON.stringify(run.history),
    ...chunkOf([run.queued_event]),
    owner,
    exclusive: isExclusive(run),
  };
}

/** Returns the ids of the inserted runs. `grant`: of those that were granted. */
type Insert<R extends RunRow> = (
  client: Queryable,
  rows: readonly R[],
) => Promise<{ id: string; attempt: number; grant?: Grant }[]>;

const batchOf = <R extends RunRow>(insertAll: Insert<R>): Batch<R, InsertOutcome> => ({
  most: 64,
  weigh: (row) => row.input_payload.length + row.history.length + (row.sealed_files?.length ?? 0),
  maxWeight: 1 << 20,
  // A statement can lock a thread's row once only.
  apart: (row) => row.thread_id ?? row.id,
  async act(client, rows) {
    const inserted = new Map((await insertAll(client, rows)).map((row) => [row.id, row]));
    return rows.map(({ id }): InsertOutcome => {
      const row = inserted.get(id);
      if (!row) return "foreign_thread";
      return row.attempt > 0 && row.grant ? { grant: row.grant } : "queued";
    });
  },
});

/** What a statement has beside the insert itself. Each part costs the other statements nothing. */
type Shape = {
  /** Selects the worker that the row `input` is granted to, as (worker_id, sandbox, lease_ms). */
  grantee: Sql;
  /** CTEs over `run`, the inserted rows. */
  more: Sql;
  /** Columns of the result. */
  gives: Sql;
};

const toNobody = sql`SELECT NULL::text AS worker_id, NULL::json AS sandbox, NULL::integer AS lease_ms`;

/** A run's record of its usage outlives the run. */
const isRecordOf = (id: Sql): Sql => sql`usage_records.source = 'run' AND usage_records.source_id = ${id}`;

const findUsed = statement({
  name: "find-used-run-id",
  takes: { id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM usage_records WHERE ${isRecordOf(sql`$id`)}`,
});

/** Some webhook wants to hear of runs that are accepted. */
const tellAccepted = sql`, event AS (
      SELECT md5(id || ' queued') AS seed, user_id, id AS run_id, agent_id, tags, 'run.queued' AS type,
        ${briefPayload("run", literal("run.queued"))} AS payload FROM run
    ), enqueued AS (
      ${enqueueWebhooks("event")}
    )`;

/** The worker that gave a credit, if it lives and nothing is paused. */
const toWorker = sql`
      SELECT workers.id AS worker_id, (workers.sandbox::jsonb - 'missing')::json AS sandbox, workers.lease_ms FROM workers
      WHERE workers.id = input.worker_id AND workers.status = 'active' AND input.adapter_type = ANY(workers.adapters)
        AND workers.pool = input.pool
        AND workers.heartbeat_at > now() - interval '15 s' AND ${isNotPaused("input")} ${perRow}`;

const noteGrants = sql`, begun AS (
      SELECT run.id, run.attempt, ${statusAfter("claim")} AS status, run.worker_id FROM run JOIN noted ON noted.run_id = run.id
      WHERE run.attempt > 0
    ), noted_grants AS (
      ${noteMove("claim", { of: "begun", from: statusAfter("accept"), reason: sql`worker_id`, by: undefined })}
    )`;

const textOf = (input: Sql, { grantee, more, gives }: Shape): Sql => sql`
    WITH ${input}, accepted AS (
      SELECT input.*, coalesce(run_at, now() + delay_ms * interval '1 ms') AS scheduled_at,
        grantee.worker_id AS granted_to, grantee.sandbox, grantee.lease_ms
      FROM input LEFT JOIN LATERAL (${grantee}) AS grantee ON true WHERE (agent_revision IS NULL
          OR EXISTS (SELECT 1 FROM agents
            WHERE agents.id = input.agent_id AND agents.revision = input.agent_revision ${perRow}))
        AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = input.id)
        AND NOT EXISTS (SELECT 1 FROM usage_records WHERE ${isRecordOf(sql`input.id`)} ${perRow})
    ), thread AS (
      INSERT INTO threads (id, user_id, agent_id)
      SELECT thread_id, user_id, agent_id FROM accepted WHERE thread_id IS NOT NULL ORDER BY thread_id
      ON CONFLICT (id) DO UPDATE SET updated_at = now(), agent_id = coalesce(threads.agent_id, excluded.agent_id)
        WHERE (SELECT owner FROM accepted WHERE thread_id = excluded.id) IS NULL
          OR threads.user_id = (SELECT owner FROM accepted WHERE thread_id = excluded.id)
      RETURNING id
    ), run AS (
      INSERT INTO runs (id, user_id, agent_id, version, thread_id, status, adapter_type, runtime_mode, lifecycle, pool, timeout_ms,
        max_attempts, expires_at, input_payload, history, state_snapshot, env_names, files, request_hash,
        completion_callback_url, traceparent, origin, metadata, replay_of, job_id, concurrency, created_at, scheduled_at, due_at,
        request_options, priority, concurrency_key, key_concurrency, debounce_key, tags, labels, plan_id,
        attempt, worker_id, sandbox, lease_until, started_at, last_seq)
      SELECT id, user_id, agent_id, version, thread_id,
        CASE WHEN granted_to IS NOT NULL THEN ${statusAfter("claim")} WHEN scheduled_at IS NULL THEN ${statusAfter("accept")}
          ELSE ${statusAfter("delay")} END, adapter_type,
        runtime_mode, lifecycle, pool, timeout_ms, max_attempts,
        coalesce(scheduled_at, now()) + queue_ttl_ms * interval '1 ms', input_payload, history, state_snapshot,
        env_names, files, request_hash, completion_callback_url, traceparent, origin, metadata, replay_of, job_id,
        concurrency, clock_timestamp(), scheduled_at,
        CASE WHEN scheduled_at IS NOT NULL THEN greatest(scheduled_at, clock_timestamp()) END, request_options, ${optionColumns}, key_concurrency, debounce_key, tags, labels, plan_id,
        CASE WHEN granted_to IS NULL THEN 0 ELSE 1 END, granted_to, sandbox, now() + lease_ms * interval '1 ms',
        CASE WHEN granted_to IS NOT NULL THEN clock_timestamp() END,
        CASE WHEN granted_to IS NULL THEN accepted.last_seq ELSE 0 END
      FROM accepted WHERE (thread_id IS NULL OR thread_id IN (SELECT id FROM thread)) AND (NOT exclusive
        OR NOT EXISTS (SELECT 1 FROM runs WHERE ${keepsThreadBusy("runs", sql`accepted.thread_id`)} ${perRow}))
      ORDER BY id ON CONFLICT (id) DO NOTHING
      RETURNING id, attempt, status, worker_id, lease_until, origin, user_id, agent_id, tags, version, thread_id,
        (SELECT accepted.by FROM accepted WHERE accepted.id = runs.id) AS by
    ), secrets AS (
      INSERT INTO run_secrets (run_id, sealed_env, sealed_files)
      SELECT id, sealed_env, sealed_files FROM run JOIN input USING (id)
      WHERE sealed_env IS NOT NULL OR sealed_files IS NOT NULL
    ), entered AS (
      SELECT id, 0 AS attempt, CASE WHEN attempt = 0 THEN status ELSE ${statusAfter("accept")} END AS status, origin, by FROM run
    ), noted AS (
      ${noteMove("accept", { of: "entered", from: sql`NULL`, reason: undefined, by: sql`by` })} RETURNING run_id
    ), chunks AS (
      ${insertChunks(sql`SELECT id, 0 AS attempt, first_seq, last_seq, events FROM run JOIN input USING (id)`)}
    )${more}
    SELECT id, attempt${gives} FROM run`;

const inserted = { id: t.text, attempt: t.integer };
const input = parameterRows(columns);
const grantInput = parameterRows(grantColumns);

const insertAs = (name: string, more: Sql): Insert<RunRow> => {
  const text = textOf(input.cte, { grantee: toNobody, more, gives: sql`` });
  const insertion = statement({ name, takes: input.takes, gives: inserted, text });
  return (client, rows) => insertion.rows(client, input.listsOf(rows));
};
const insert = { quiet: insertAs("insert-run", sql``), telling: insertAs("insert-run-telling", tellAccepted) };
const inserts = { quiet: batchOf(insert.quiet), telling: batchOf(insert.telling) };

const insertGranted = statement({
  name: "insert-run-granted",
  takes: grantInput.takes,
  gives: { ...inserted, ...grant },
  text: textOf(grantInput.cte, {
    grantee: toWorker,
    more: noteGrants,
    gives: sql`, (SELECT revision FROM agents WHERE agents.id = run.agent_id ${perRow}) AS agent_revision,
      (SELECT coalesce(json_object_agg(name, encode(sealed_value, 'hex')), '{}'::json) FROM agent_secrets
        WHERE agent_secrets.agent_id = run.agent_id) AS agent_secrets,
      coalesce(extract(epoch FROM lease_until) * 1000, 0)::double precision AS lease_until`,
  }),
});
const grants = batchOf<GrantRow>(async (client, given) => {
  const rows = await insertGranted.rows(client, grantInput.listsOf(given));
  return rows.map(({ id, attempt, ...row }) => ({ id, attempt, grant: row }));
});
