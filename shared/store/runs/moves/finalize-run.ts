import { newId } from "../../../platform/ids.ts";
import type { Outcome } from "../../../domain/run/terminal-event.ts";
import { type Cause, transitions } from "../../../domain/run/transitions.ts";
import type { NotificationRecord } from "../../../schemas/notification.ts";
import type { RunError, StreamEvent, Usage } from "../../../schemas/run-event.ts";
import { insertUsageRecords } from "../../billing/insert-usage-records.ts";
import { usageWithCalls, usageWithCallsOf } from "../../calls/usage-with-calls.ts";
import type { Batch } from "../../batch.ts";
import type { Db, Queryable } from "../../client.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { parameterRows } from "../../parameter-rows.ts";
import { notifyUsers } from "../../notifications/notify-users.ts";
import { enqueueWebhooks } from "../../outbox/enqueue-webhooks.ts";
import { joined, literal, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { moveRuns } from "./move-runs.ts";
import { nextOfAgent, nextOfThread } from "./next-waiting.ts";
import { chunkColumns, chunkOf, insertChunks, weighChunk } from "../transcript/transcript-chunk.ts";

/** What a caller must have read of a run to end it from outside. */
export type SeenRun = { id: string; attempt: number; worker_id: string | null };

export type Finalization = {
  run_id: string;
  cause: Cause & ("finish" | "give_up" | "complete" | "cancel" | "expire");
  /** The attempt that the caller holds or saw; the write is refused when it is stale. */
  attempt: number;
  outcome: Outcome;
  /** The text that the agent output. The run's thread keeps it beside the result, unless the result is this text. */
  said?: string | null;
  duration_ms: number;
  /** What is billed, where somebody else named `duration_ms`. */
  metered_ms?: number;
  /** What the transcript doesn't hold yet, the terminal event last. Of the next attempt where `cause` raises it. */
  events: StreamEvent[];
  reason: string | null;
  /** Who asked for the end. Null: the service itself, or who asked the worker to cancel the run. */
  by: string | null;
  /** The run has no thread and no concurrency key, and its agent no bound on how many run at once: no other run waits for its end. */
  alone?: true;
};

/**
 * `next_run_id`: a run that waited for this one, of its thread or its agent, and may start now. `enqueued`: there is a
 * message to send.
 */
export type FinalizeOutcome = { kind: "finalized"; next_run_id: string | null; enqueued: boolean } | { kind: "stale" };

/**
 * Ends a run: status, transcript, timeline, usage, callback's and webhooks' outbox rows, notification, thread and the
 * wiping of its secrets, in one statement for all runs that end at the same time. Exactly one of any number of callers gets
 * `finalized`. Safe to repeat after a lost connection: the repeat of a call that did commit is answered `finalized` too,
 * recognised by its terminal event.
 */
export async function finalizeRun(db: Db, end: Finalization): Promise<FinalizeOutcome> {
  const ended = await db.inBatches(ends[end.cause], end);
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

const given = {
  id: t.text,
  attempt: t.integer,
  status: t.word<Outcome["status"]>(),
  result_content: orNull(t.json()),
  error: orNull(t.json<RunError>()),
  state_snapshot: orNull(t.json<string>()),
  usage: orNull(t.json<Usage>()),
  said: orNull(t.json<string>()),
  duration_ms: t.integer,
  metered_ms: t.integer,
  reason: orNull(t.text),
  by: orNull(t.text),
  message_id: t.text,
  ...chunkColumns,
};

/** What the owner of a run is told when it failed; null for the others. */
const news = {
  news_id: orNull(t.text),
  news_level: orNull(t.word<NotificationRecord["level"]>()),
  news_title: orNull(t.text),
  news_body: orNull(t.text),
  news_data: orNull(t.json<{ status: string; code: string | null }>()),
};

function rowOf({
  run_id,
  attempt,
  outcome,
  said = null,
  duration_ms,
  metered_ms = duration_ms,
  events,
  reason,
  by,
}: Finalization): Row<typeof given> {
  const { status, result_content = null, error, state_snapshot, usage } = outcome;
  const values = {
    id: run_id,
    attempt,
    status,
    result_content,
    error,
    state_snapshot,
    usage,
    said,
    duration_ms,
    metered_ms,
    reason,
    by,
  };
  return { ...values, ...chunkOf(events), message_id: newId("msg") };
}

const isNews = ({ outcome: { status } }: Finalization): boolean => status === "error" || status === "timeout";

/** `%s` stands for the agent. */
function newsOf(end: Finalization): Row<typeof news> {
  const { status, error } = end.outcome;
  if (!isNews(end)) return { news_id: null, news_level: null, news_title: null, news_body: null, news_data: null };
  return {
    news_id: newId("notif"),
    news_level: "error",
    news_title: status === "timeout" ? "A run of %s took too long" : "A run of %s failed",
    // Postgres' texts have no NUL.
    news_body: error && [...error.message.replaceAll("\0", "")].slice(0, 500).join(""),
    news_data: { status, code: error?.code ?? null },
  };
}

const gives = { id: t.text, next_run_id: orNull(t.text), enqueued: t.boolean };

const [success, , , cancelled] = transitions.finish.to;

/** All but the run's own worker raise the attempt to end it. */
const takesOver = (cause: Finalization["cause"]): Sql => (cause === "finish" ? sql`` : sql`, taken_over = true`);

/** A usage that its own worker tells may lack a call that was written meanwhile. */
const usageOf = (cause: Finalization["cause"]): Sql =>
  cause === "finish"
    ? sql`coalesce(${usageWithCallsOf(sql`coalesce(input.usage, runs.usage)`)}, input.usage, runs.usage)`
    : sql`coalesce(input.usage, ${usageWithCalls}, runs.usage)`;

/** The parts of every end. */
const endRuns = (cause: Finalization["cause"]): Sql[] => [
  moveRuns(cause, {
    source: "input",
    set: sql`result_content = input.result_content, error = input.error,
        state_snapshot = coalesce(input.state_snapshot, runs.state_snapshot), usage = ${usageOf(cause)},
        duration_ms = input.duration_ms, last_seq = input.last_seq, completed_at = now()${takesOver(cause)}`,
    returning: sql`runs.user_id, runs.agent_id, runs.plan_id, runs.tags, runs.version, runs.started_at, runs.thread_id, runs.input_payload,
        runs.completion_callback_url, runs.concurrency, runs.concurrency_key, runs.usage, input.metered_ms, input.result_content, input.said,
        input.state_snapshot AS new_state, input.first_seq, input.last_seq, input.events, input.message_id, input.reason,
        coalesce(input.by, CASE WHEN runs.status = ${literal(cancelled)} THEN runs.cancel_requested_by END) AS by`,
    reason: sql`reason`,
    by: sql`by`,
  }),
  sql`transcript AS (
      ${insertChunks(sql`SELECT id, attempt, first_seq, last_seq, events FROM moved`)}
    )`,
  sql`metered AS (${insertUsageRecords()})`,
  sql`wiped AS (
      DELETE FROM run_secrets USING moved WHERE run_id = moved.id
    )`,
  sql`callback AS (
      INSERT INTO outbox (id, user_id, run_id, type, url)
      SELECT message_id, user_id, id, 'run.' || status, completion_callback_url FROM moved
      WHERE completion_callback_url IS NOT NULL RETURNING run_id
    ), event AS (
      SELECT message_id AS seed, user_id, id AS run_id, agent_id, tags, 'run.' || status AS type, NULL::json AS payload FROM moved
    ), enqueued AS (
      ${enqueueWebhooks("event")} RETURNING run_id
    )`,
];

const notifyOwners = sql`
    news AS (
      SELECT input.news_id AS id, user_id, 'run.' || moved.status AS type, input.news_level AS level,
        format(input.news_title, agent_id) AS title, input.news_body AS body, input.news_data AS data, agent_id,
        moved.id AS run_id, 'run:' || moved.id AS dedup_key
      FROM moved JOIN input USING (id) WHERE input.news_id IS NOT NULL
    ), ${notifyUsers}`;

/**
 * What was asked is kept however the run ended; what was answered, of a successful run. Threads are locked in the order of their
 * ids, as everywhere.
 */
const writeThreads = sql`
    messages AS (
      INSERT INTO thread_messages (thread_id, run_id, role, content, said, bytes)
      SELECT thread_id, id, part.role, part.content, part.said,
        octet_length(part.content::text) + coalesce(octet_length(part.said::text), 0)
      FROM moved, LATERAL (VALUES (1, 'user', moved.input_payload, NULL::json),
        (2, 'assistant', moved.result_content, moved.said)) AS part (nth, role, content, said)
      WHERE thread_id IS NOT NULL AND (part.nth = 1 OR status = ${literal(success)}) AND part.content IS NOT NULL
      ORDER BY id, part.nth
    ), held_threads AS (
      SELECT threads.id, moved.new_state FROM threads JOIN moved ON threads.id = moved.thread_id
      ORDER BY threads.id FOR UPDATE OF threads
    ), thread AS (
      UPDATE threads SET state_snapshot = coalesce(held_threads.new_state, threads.state_snapshot), updated_at = now()
      FROM held_threads WHERE threads.id = held_threads.id
    )`;

type Shape = { notifies: boolean; alone: boolean };

/** Without the parts that concern none of the runs: each costs even when it does nothing. */
function textOf(cause: Finalization["cause"], input: Sql, { notifies, alone }: Shape): Sql {
  const parts = [input, ...endRuns(cause), ...(notifies ? [notifyOwners] : []), ...(alone ? [] : [writeThreads])];
  const messages = [sql`moved.id IN (SELECT run_id FROM callback)`, sql`moved.id IN (SELECT run_id FROM enqueued)`];
  // The id of a notification's event is all that its message has of the run.
  const told = sql`EXISTS (SELECT FROM told_enqueued)`;
  const next = alone ? sql`NULL::text` : sql`coalesce(${nextOfThread("moved")}, ${nextOfAgent("moved")})`;
  return sql`
    WITH ${joined(parts, ", ")}
    SELECT moved.id, ${next} AS next_run_id, ${joined([...messages, ...(notifies ? [told] : [])], " OR ")} AS enqueued
    FROM moved`;
}

function statementsOf(cause: Finalization["cause"], alone: boolean) {
  const name = `finalize-run-${cause.replace("_", "-")}${alone ? "-alone" : ""}`;
  const [quiet, notifying] = [parameterRows(given), parameterRows({ ...given, ...news })];
  const statements = {
    quiet: statement({ name, takes: quiet.takes, gives, text: textOf(cause, quiet.cte, { notifies: false, alone }) }),
    notifying: statement({
      name: `${name}-notifying`,
      takes: notifying.takes,
      gives,
      text: textOf(cause, notifying.cte, { notifies: true, alone }),
    }),
  };
  return (client: Queryable, ends: Finalization[]) => {
    if (!ends.some(isNews)) return statements.quiet.rows(client, quiet.listsOf(ends.map(rowOf)));
    const rows = ends.map((end) => ({ ...rowOf(end), ...newsOf(end) }));
    return statements.notifying.rows(client, notifying.listsOf(rows));
  };
}

type EndedRow = Pick<Row<typeof gives>, "next_run_id" | "enqueued">;

/** Runs that end at the same time. Their own workers' ends come by the hundred, all others one by one. */
function endsBy(cause: Finalization["cause"]): Batch<Finalization, EndedRow | null> {
  const all = statementsOf(cause, false);
  const alone = cause === "finish" ? statementsOf(cause, true) : all;
  return {
    most: cause === "finish" ? 64 : 1,
    weigh: (end) => weighChunk(chunkOf(end.events)),
    maxWeight: 1 << 17,
    apart: ({ run_id }) => run_id,
    async act(client, ends) {
      const write = ends.every((end) => end.alone) ? alone : all;
      const ended = new Map((await write(client, ends)).map(({ id, ...rest }) => [id, rest]));
      return ends.map(({ run_id }) => ended.get(run_id) ?? null);
    },
  };
}

const ends = {
  finish: endsBy("finish"),
  give_up: endsBy("give_up"),
  complete: endsBy("complete"),
  cancel: endsBy("cancel"),
  expire: endsBy("expire"),
};
