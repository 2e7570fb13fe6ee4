import { requestLimits } from "../../../domain/run/request-limits.ts";
import type { StoredMessage } from "../../../domain/thread/message-text.ts";
import type { GivenOptions } from "../../../schemas/request-options.ts";
import type { Usage } from "../../../schemas/run-event.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { literal, perRow, raw, type Sql, sql } from "../../sql.ts";
import { cancelAskedMs } from "../moves/renew-leases.ts";
import { messageBytes } from "../../threads/message-bytes.ts";
import type { Grant, NewRun } from "./insert-run.ts";
import { statusAfter } from "../moves/move-runs.ts";

export const claimedRun = {
  id: t.text,
  attempt: t.integer,
  user_id: t.text,
  agent_id: t.text,
  version: t.text,
  /** The plan that it was accepted under; null: there was none, or an earlier version accepted it. */
  plan_id: orNull(t.text),
  thread_id: orNull(t.text),
  adapter_type: t.text,
  runtime_mode: t.text,
  lifecycle: t.text,
  timeout_ms: t.integer,
  concurrency: orNull(t.integer),
  /** How many attempts were lost since it was last put aside. */
  lost_attempts: t.integer,
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
  /** Whether somebody has asked for its end before it was claimed. */
  cancel_requested: t.boolean,
  /** When somebody last asked for its end, epoch ms. */
  cancel_asked_ms: orNull(t.double),
  /** The run that has started it. */
  parent_run_id: orNull(t.text),
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
  /** The keys of their questions; null: a question that has none. */
  answer_keys: t.json<(string | null)[]>(),
  /** Why the attempt before this one came to nothing; null for a first attempt. */
  requeue_reason: orNull(t.text),
  /** For how long it was queued before this attempt. */
  waited_ms: t.double,
  /** Whether an earlier attempt has kept something in the run's journal, or the run goes on where another one was. */
  has_journal: t.boolean,
};

/** A claimed run, with all that its worker needs but its version's config. Secrets are still sealed. */
export type ClaimedRun = Row<typeof claimedRun>;

/** What `selectClaimed` reads of \`runs\`, beside id and attempt. */
export const claimedColumns = sql`runs.user_id, runs.agent_id, runs.tags, runs.version, runs.plan_id, runs.thread_id, runs.adapter_type, runs.runtime_mode,
        runs.lifecycle, runs.timeout_ms, runs.concurrency, runs.lost_attempts, runs.failed_attempts, runs.usage, runs.duration_ms,
        runs.input_payload, runs.history, runs.state_snapshot, runs.metadata, runs.request_options,
        runs.traceparent, runs.cancel_requested_at, runs.parent_run_id, runs.wait_reason, runs.replay_of, runs.created_at, runs.due_at`;

/** SQL: selects what a worker needs of the runs in the CTE `of`, which has their columns of `runs`. */
export const selectClaimed = (of: string): Sql => sql`
    SELECT c.id, c.attempt, c.user_id, c.agent_id, c.version, c.plan_id, c.thread_id, c.adapter_type, c.runtime_mode, c.lifecycle,
      c.timeout_ms, c.concurrency, c.lost_attempts, c.failed_attempts, c.usage AS spent, c.duration_ms AS spent_ms,
      c.input_payload, c.history, c.state_snapshot, c.metadata, c.request_options, c.traceparent,
      c.cancel_requested_at IS NOT NULL AS cancel_requested, ${cancelAskedMs("c")}, c.parent_run_id, c.wait_reason,
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
        WHERE run_id = c.id AND answered_at IS NOT NULL AND call_key IS NULL) END AS answers,
      CASE WHEN c.attempt = 1 THEN '[]'::json ELSE (
        SELECT coalesce(json_agg(question_key ORDER BY created_at, id), '[]'::json) FROM interrupts
        WHERE run_id = c.id AND answered_at IS NOT NULL AND call_key IS NULL) END AS answer_keys,
      CASE WHEN c.attempt > 1 THEN (
        SELECT reason FROM run_transitions WHERE run_id = c.id AND "to" = ${statusAfter("accept")} ORDER BY seq DESC LIMIT 1) END
        AS requeue_reason,
      greatest(0, extract(epoch FROM clock_timestamp() - CASE WHEN c.attempt > 1 THEN coalesce((
        SELECT at FROM run_transitions WHERE run_id = c.id AND "to" = ${statusAfter("accept")} ORDER BY seq DESC LIMIT 1),
        c.created_at) ELSE coalesce(c.due_at, c.created_at) END) * 1000)::double precision AS waited_ms,
      CASE WHEN c.attempt > 1 OR c.replay_of IS NOT NULL THEN EXISTS (SELECT 1 FROM run_journals j WHERE j.run_id = c.id ${perRow}) ELSE false END
        AS has_journal
    FROM ${raw(of)} AS c
    LEFT JOIN LATERAL (
      SELECT json_object_agg(name, encode(sealed_value, 'hex')) AS agent_secrets FROM agent_secrets
      WHERE agent_id = c.agent_id
    ) k ON true
    LEFT JOIN agents a ON a.id = c.agent_id
    LEFT JOIN run_secrets s ON s.run_id = c.id
    LEFT JOIN threads t ON t.id = c.thread_id`;

/** What a worker would read of a run that was granted to it when it was accepted: its first attempt has no history. */
export const grantedRun = (run: NewRun, { agent_revision, agent_secrets }: Grant): ClaimedRun => ({
  id: run.id,
  attempt: 1,
  user_id: run.user_id,
  agent_id: run.agent_id,
  version: run.version,
  plan_id: run.bounds.plan_id,
  thread_id: run.thread_id,
  adapter_type: run.adapter_type,
  runtime_mode: run.runtime_mode,
  lifecycle: run.lifecycle,
  timeout_ms: run.timeout_ms,
  concurrency: run.concurrency,
  lost_attempts: 0,
  failed_attempts: 0,
  spent: null,
  spent_ms: null,
  input_payload: run.input_payload as ClaimedRun["input_payload"],
  history: run.history,
  state_snapshot: run.state_snapshot,
  metadata: run.metadata,
  request_options: run.request_options,
  traceparent: run.traceparent,
  cancel_requested: false,
  cancel_asked_ms: null,
  parent_run_id: null,
  wait_reason: null,
  agent_revision,
  sealed_env: run.sealed_env,
  sealed_files: run.sealed_files,
  agent_secrets,
  thread_state: null,
  thread_messages: [],
  answers: [],
  answer_keys: [],
  requeue_reason: null,
  waited_ms: 0,
  has_journal: false,
});
