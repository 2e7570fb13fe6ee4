import { labelsOf } from "../../../domain/run/labels.ts";
import { placeEvent } from "../../../domain/run/stream-event.ts";
import type { GivenOptions } from "../../../schemas/request-options.ts";
import type { StreamEvent } from "../../../schemas/run-event.ts";
import type { Db } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import { inTransaction } from "../../in-transaction.ts";
import type { Owner } from "../../owned-by.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import type { NewRun } from "./insert-run.ts";
import { ensureThread } from "./ensure-thread.ts";
import { appendWaiting } from "./mark-waiting.ts";
import { optionColumns } from "./option-columns.ts";
import { runIs, runIsStill } from "../run-is.ts";

/** Returns the run of an agent that waits for its time under a debounce key; null when none does. */
export async function findDebounced(db: Db, agent_id: string, debounce_key: string): Promise<string | null> {
  return (await find.first(db.sql, { agent_id, debounce_key }))?.id ?? null;
}

const find = statement({
  name: "find-debounced-run",
  takes: { agent_id: t.text, debounce_key: t.text },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM runs WHERE agent_id = $agent_id AND debounce_key = $debounce_key AND ${runIs.scheduled()}
      AND debounce_key IS NOT NULL`,
});

/** `gone`: the run is due, or waits no longer under its key. `event`: says in its stream until when it waits now. */
export type Replacement = { kind: "replaced"; event: StreamEvent } | { kind: "gone" } | { kind: "foreign_thread" };

/**
 * Gives a run that waits under its debounce key another request, and starts its delay again. It keeps its id, its place in
 * the lists and its stream.
 */
export async function replaceDebounced(db: Db, run: NewRun, owner: Owner): Promise<Replacement> {
  return inTransaction(db, async (client) => {
    const { id, user_id, agent_id, thread_id } = run;
    if (thread_id !== null && (await ensureThread.count(client, { thread_id, user_id, agent_id, owner })) === 0)
      return { kind: "foreign_thread" };
    const { input_payload, history, ...rest } = run;
    const texts = { input_payload: JSON.stringify(input_payload), history: JSON.stringify(history) };
    const row = await replace.first(client, { ...rest, ...texts, labels: labelsOf(run) });
    if (!row) return { kind: "gone" };
    const run_at = row.scheduled_at.toISOString();
    const queue = { position: null, wait_reason: "delay" } as const;
    const event = placeEvent(id, { attempt: 0, seq: row.last_seq }, { type: "run.waiting", queue, run_at }, row.now);
    await appendWaiting(client, id, event);
    return { kind: "replaced", event };
  });
}

const replace = statement({
  name: "replace-debounced-run",
  takes: {
    id: t.text,
    debounce_key: orNull(t.text),
    version: t.text,
    thread_id: orNull(t.text),
    adapter_type: t.text,
    runtime_mode: t.text,
    lifecycle: t.text,
    pool: t.text,
    timeout_ms: t.integer,
    concurrency: orNull(t.integer),
    key_concurrency: orNull(t.integer),
    max_attempts: t.integer,
    queue_ttl_ms: t.double,
    delay_ms: orNull(t.double),
    request_options: orNull(t.json<GivenOptions>()),
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
    metadata: t.json(),
    tags: listOf(t.text),
    labels: listOf(t.text),
  },
  gives: { last_seq: t.integer, scheduled_at: t.timestamptz, now: t.timestamptz },
  text: sql`
    WITH given AS (SELECT $request_options AS request_options), replaced AS (
      UPDATE runs SET version = $version, thread_id = $thread_id, adapter_type = $adapter_type,
        runtime_mode = $runtime_mode, lifecycle = $lifecycle, pool = $pool, timeout_ms = $timeout_ms, concurrency = $concurrency,
        key_concurrency = $key_concurrency, max_attempts = $max_attempts, request_options = $request_options,
        (priority, concurrency_key) = (SELECT ${optionColumns} FROM given), input_payload = $input_payload,
        history = $history, state_snapshot = $state_snapshot, env_names = $env_names, files = $files,
        request_hash = $request_hash, completion_callback_url = $completion_callback_url, traceparent = $traceparent,
        metadata = $metadata, tags = $tags, labels = $labels, scheduled_at = clock_timestamp() + $delay_ms * interval '1 ms',
        due_at = clock_timestamp() + $delay_ms * interval '1 ms',
        expires_at = now() + ($delay_ms + $queue_ttl_ms) * interval '1 ms', wait_reason = 'delay', last_seq = last_seq + 1
      WHERE id = $id AND debounce_key = $debounce_key AND attempt = 0 AND scheduled_at > clock_timestamp()
        AND ${runIsStill.scheduled()}
      RETURNING id, last_seq, scheduled_at
    ), secrets AS (
      INSERT INTO run_secrets (run_id, sealed_env, sealed_files)
      SELECT id, $sealed_env, $sealed_files FROM replaced
      ON CONFLICT (run_id) DO UPDATE SET sealed_env = excluded.sealed_env, sealed_files = excluded.sealed_files
    )
    SELECT last_seq, scheduled_at, now() FROM replaced`,
});
