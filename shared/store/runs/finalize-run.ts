import { newId } from "../../platform/ids.ts";
import type { Outcome } from "../../domain/run/terminal-event.ts";
import type { Cause } from "../../domain/run/transitions.ts";
import type { RunError, StreamEvent, Usage } from "../../schemas/run-event.ts";
import { meterRun } from "../billing/meter-run.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { notifyUsers } from "../notifications/notify-users.ts";
import { enqueueWebhooks } from "../outbox/enqueue-webhooks.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { moveRuns } from "./move-runs.ts";
import { nextOfAgent, nextOfThread } from "./next-waiting.ts";
import { chunkColumns, chunkOf, insertChunk } from "./transcript-chunk.ts";

/** What a caller must have read of a run to end it from outside. */
export type SeenRun = { id: string; attempt: number; worker_id: string | null };

export type Finalization = {
  run_id: string;
  cause: Cause & ("finish" | "give_up" | "complete" | "cancel" | "expire");
  /** The attempt that the caller holds or saw; the write is refused when it is stale. */
  attempt: number;
  outcome: Outcome;
  duration_ms: number;
  /** What the transcript doesn't hold yet, the terminal event last. Of the next attempt where `cause` raises it. */
  events: StreamEvent[];
  reason: string | null;
  /** The run has no thread, and its agent no bound on how many run at once: no other run waits for its end. */
  alone?: true;
};

/**
 * `next_run_id`: a run that waited for this one, of its thread or its agent, and may start now. `enqueued`: there is a
 * message to send.
 */
export type Finalized = { kind: "finalized"; next_run_id: string | null; enqueued: boolean } | { kind: "stale" };

/**
 * Ends a run: status, transcript, timeline, usage, callback's and webhooks' outbox rows, notification, thread and the
 * wiping of its secrets, in one statement. Exactly one of any number of callers gets `finalized`. Safe to repeat after a
 * lost connection: the repeat of a call that did commit is answered `finalized` too, recognised by its terminal event.
 */
export async function finalizeRun(db: Db, end: Finalization): Promise<Finalized> {
  const ended = await write(db, end);
  if (ended) return { kind: "finalized", ...ended };
  return (await isOurs(db, end)) ? { kind: "finalized", next_run_id: null, enqueued: true } : { kind: "stale" };
}

async function isOurs(db: Db, end: Finalization): Promise<boolean> {
  const last = end.events.at(-1);
  if (!last) throw new Error("A finalization needs its terminal event.");
  const chunk = await db.prisma.transcriptChunk.findFirst({
    where: { run_id: end.run_id, attempt: last.attempt, last_seq: last.seq },
    select: { events: true },
  });
  const stored = Array.isArray(chunk?.events) ? chunk.events.at(-1) : undefined;
  return Array.isArray(stored) && stored[2] === last.data;
}

function write(db: Db, { run_id, cause, attempt, outcome, duration_ms, events, reason, alone }: Finalization) {
  const { status, result_content = null, error, state_snapshot, usage } = outcome;
  const said = { id: run_id, attempt, status, result_content, error, state_snapshot, usage, duration_ms, reason };
  const values = { ...said, ...chunkOf(events), message_id: newId("msg") };
  const { quiet, notifying } = alone && cause === "finish" ? finishAlone : statements[cause];
  const news = newsOf(outcome);
  return news ? notifying.first(db.sql, { ...values, ...news }) : quiet.first(db.sql, values);
}

/** What its owner is told of a run that failed; null for one that did not. `%s` stands for the agent. */
function newsOf({ status, error }: Outcome) {
  if (status !== "error" && status !== "timeout") return null;
  return {
    news_id: newId("notif"),
    news_title: status === "timeout" ? "A run of %s took too long" : "A run of %s failed",
    // Postgres' texts have no NUL.
    news_body: error && [...error.message.replaceAll("\0", "")].slice(0, 500).join(""),
    news_data: { status, code: error?.code ?? null },
  };
}

const takes = {
  id: t.text,
  attempt: t.integer,
  status: t.word<Outcome["status"]>(),
  result_content: orNull(t.json()),
  error: orNull(t.json<RunError>()),
  state_snapshot: orNull(t.json<string>()),
  usage: orNull(t.json<Usage>()),
  duration_ms: t.integer,
  reason: orNull(t.text),
  message_id: t.text,
  ...chunkColumns,
};

const newsColumns = {
  news_id: t.text,
  news_title: t.text,
  news_body: orNull(t.text),
  news_data: t.json<{ status: string; code: string | null }>(),
};

const gives = { next_run_id: orNull(t.text), enqueued: t.boolean };

/** The parts of every end. An end that nobody brought about is not metered. */
const endRun = (cause: Finalization["cause"]): Sql[] => [
  moveRuns(cause, {
    set: sql`result_content = $result_content, error = $error, state_snapshot = coalesce($state_snapshot, state_snapshot),
        usage = coalesce($usage, usage), duration_ms = $duration_ms, last_seq = $last_seq, completed_at = now()`,
    returning: sql`runs.user_id, runs.agent_id, runs.version, runs.started_at, runs.thread_id, runs.input_payload,
        runs.completion_callback_url, runs.concurrency, runs.usage, runs.duration_ms`,
    reason: sql`$reason`,
  }),
  sql`transcript AS (
      ${insertChunk(sql`SELECT id, attempt FROM moved`)}
    )`,
  ...(cause === "expire" ? [] : [sql`metered AS (${meterRun()})`]),
  sql`wiped AS (
      DELETE FROM run_secrets USING moved WHERE run_id = moved.id
    )`,
  sql`callback AS (
      INSERT INTO outbox (id, user_id, run_id, type, url)
      SELECT $message_id, user_id, id, 'run.' || $status, completion_callback_url FROM moved
      WHERE completion_callback_url IS NOT NULL RETURNING id
    ), event AS (
      SELECT $message_id AS seed, user_id, id AS run_id, 'run.' || $status AS type, NULL::json AS payload FROM moved
    ), enqueued AS (
      ${enqueueWebhooks("event")} RETURNING id
    )`,
];

const notifyOwner = sql`
    news AS (
      SELECT $news_id AS id, user_id, 'run.' || $status AS type, 'error' AS level, format($news_title, agent_id) AS title,
        $news_body AS body, $news_data AS data, agent_id, id AS run_id, 'run:' || id AS dedup_key
      FROM moved
    ), ${notifyUsers}`;

const success: Outcome["status"] = "success";

const writeThread = sql`
    said AS (
      INSERT INTO thread_messages (thread_id, run_id, role, content)
      SELECT thread_id, id, part.role, part.content FROM moved,
        LATERAL (VALUES (1, 'user', moved.input_payload), (2, 'assistant', $result_content)) AS part (nth, role, content)
      WHERE thread_id IS NOT NULL AND $status = ${literal(success)} AND part.content IS NOT NULL ORDER BY part.nth
    ), thread AS (
      UPDATE threads SET state_snapshot = coalesce($state_snapshot, threads.state_snapshot), updated_at = now()
      FROM moved WHERE threads.id = moved.thread_id
    )`;

type Shape = { notifies: boolean; alone: boolean };

/** Without the parts that don't concern the run: each costs even when it does nothing, all of them a fifth of the statement. */
function textOf(cause: Finalization["cause"], { notifies, alone }: Shape): Sql {
  const parts = [...endRun(cause), ...(notifies ? [notifyOwner] : []), ...(alone ? [] : [writeThread])];
  const messages = ["callback", "enqueued", ...(notifies ? ["told_enqueued"] : [])];
  const next = alone ? sql`NULL::text` : sql`coalesce(${nextOfThread("moved")}, ${nextOfAgent("moved")})`;
  return sql`
    WITH ${joined(parts, ", ")}
    SELECT ${next} AS next_run_id,
      ${joined(
        messages.map((cte) => sql`EXISTS (SELECT FROM ${raw(cte)})`),
        " OR ",
      )} AS enqueued
    FROM moved`;
}

/** `quiet`: for an end of which nobody is notified. */
function statementsOf(cause: Finalization["cause"], alone = false) {
  const name = `finalize-run-${cause.replace("_", "-")}${alone ? "-alone" : ""}`;
  return {
    quiet: statement({ name, takes, gives, text: textOf(cause, { notifies: false, alone }) }),
    notifying: statement({
      name: `${name}-notifying`,
      takes: { ...takes, ...newsColumns },
      gives,
      text: textOf(cause, { notifies: true, alone }),
    }),
  };
}

const statements = {
  finish: statementsOf("finish"),
  give_up: statementsOf("give_up"),
  complete: statementsOf("complete"),
  cancel: statementsOf("cancel"),
  expire: statementsOf("expire"),
};
const finishAlone = statementsOf("finish", true);
