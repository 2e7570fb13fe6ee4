import type { StreamEvent, ToldInterrupt, Usage } from "../../../schemas/run-event.ts";
import { newId } from "../../../platform/ids.ts";
import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { notifyUsers } from "../../notifications/notify-users.ts";
import { enqueueWebhooks, nowOnTheWire } from "../../outbox/enqueue-webhooks.ts";
import { literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { transitions } from "../../../domain/run/transitions.ts";
import { moveRuns } from "./move-runs.ts";
import { nextOfAgent, nextOfThread } from "./next-waiting.ts";
import type { HeldRun } from "./renew-leases.ts";
import { chunkColumns, chunkOf, givenChunk, insertChunks } from "../transcript/transcript-chunk.ts";

export type Interruption = {
  run: HeldRun;
  /** As webhooks and the owner are told it. */
  interrupt: ToldInterrupt;
  /** Of the call that waits for the answer; null: the agent itself asks. */
  call_key: string | null;
  /** By which the code knows the question; null: by the order of asking. */
  question_key: string | null;
  state_snapshot: string | null;
  /** Of all its attempts together. */
  usage: Usage | null;
  duration_ms: number;
  /** What the transcript doesn't hold yet, `run.interrupted` last. */
  events: StreamEvent[];
};

/**
 * Puts a run aside until a person has answered, notifies its owner and enqueues it to the webhooks that ask for it: its slot is free, its
 * attempt is over. Returns null when the attempt is stale or somebody has asked to cancel the run. `next_run_id`: a run that
 * waited for this one, of its thread or its agent.
 */
export async function interruptRun(db: Db, interruption: Interruption): Promise<{ next_run_id: string | null } | null> {
  const { run, interrupt: question, events, ...rest } = interruption;
  const { id: interrupt_id, reason, message, response_schema, expires_at } = question;
  const asked = { interrupt_id, reason, message, response_schema, expires_at, interrupt: question };
  const { id, attempt } = run;
  return interrupt.first(db.sql, {
    id,
    attempt,
    ...asked,
    ...rest,
    ...chunkOf(events),
    message_id: newId("msg"),
    ...newsOf(question),
  });
}

/** `%s` stands for the agent. Postgres' texts have no NUL. */
const newsOf = ({ message }: ToldInterrupt) => ({
  news_id: newId("notif"),
  news_title: "A run of %s asks a question",
  news_body: message && [...message.replaceAll("\0", "")].slice(0, 500).join(""),
});

const [interrupted] = transitions.interrupt.to;

const interrupt = statement({
  name: "interrupt-run",
  takes: {
    id: t.text,
    attempt: t.integer,
    state_snapshot: orNull(t.json<string>()),
    usage: orNull(t.json<Usage>()),
    duration_ms: t.integer,
    expires_at: t.word<ToldInterrupt["expires_at"]>(),
    interrupt_id: t.text,
    call_key: orNull(t.text),
    question_key: orNull(t.text),
    reason: t.text,
    message: orNull(t.text),
    response_schema: orNull(t.json()),
    interrupt: t.json<ToldInterrupt>(),
    message_id: t.text,
    news_id: t.text,
    news_title: t.text,
    news_body: orNull(t.text),
    ...chunkColumns,
  },
  gives: { next_run_id: orNull(t.text) },
  text: sql`
    WITH ${moveRuns("interrupt", {
      set: sql`last_seq = $last_seq, state_snapshot = coalesce($state_snapshot, state_snapshot), usage = $usage,
        duration_ms = $duration_ms, lost_attempts = 0, expires_at = $expires_at::timestamptz`,
      returning: sql`runs.user_id, runs.agent_id, runs.version, runs.thread_id, runs.concurrency,
        runs.concurrency_key, runs.tags`,
      reason: sql`$reason`,
    })}, transcript AS (
      ${insertChunks(sql`SELECT id, attempt, ${givenChunk} FROM moved`)}
    ), forgotten AS (
      UPDATE run_journals SET lost_before = 0 FROM moved WHERE run_journals.run_id = moved.id
    ), asked AS (
      INSERT INTO interrupts (run_id, id, attempt, reason, message, response_schema, expires_at, call_key, question_key)
      SELECT id, $interrupt_id, attempt, $reason, $message, $response_schema, $expires_at::timestamptz, $call_key,
        $question_key FROM moved
    ), event AS (
      SELECT $message_id AS seed, user_id, id AS run_id, agent_id, tags, 'run.interrupted' AS type,
        json_build_object('type', 'run.interrupted', 'timestamp', ${nowOnTheWire}, 'run_id', id, 'thread_id', thread_id,
          'agent_id', agent_id, 'version', version, 'status', ${literal(interrupted)}, 'attempt', attempt, 'interrupts',
          json_build_array($interrupt)) AS payload
      FROM moved
    ), enqueued AS (
      ${enqueueWebhooks("event")}
    ), news AS (
      SELECT $news_id AS id, user_id, 'run.interrupted' AS type, 'info' AS level, format($news_title, agent_id) AS title,
        $news_body AS body, json_build_object('interrupts', json_build_array($interrupt)) AS data, agent_id,
        id AS run_id, 'interrupt:' || $interrupt_id AS dedup_key
      FROM moved
    ), ${notifyUsers}
    SELECT coalesce(${nextOfThread("moved")}, ${nextOfAgent("moved")}) AS next_run_id FROM moved`,
});
