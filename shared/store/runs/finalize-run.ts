import type { StreamEvent } from "../../schemas/run-event.ts";
import type { Outcome } from "../../domain/run/terminal-event.ts";
import { type Cause, transitions } from "../../domain/run/transitions.ts";
import { newId } from "../../platform/ids.ts";
import { meterRun } from "../billing/meter-run.ts";
import type { Db } from "../client.ts";
import { tellUsers } from "../notifications/tell-users.ts";
import { chunkValues } from "./chunk-values.ts";
import { nextOfAgent, nextOfThread } from "./next-waiting.ts";
import { owedColumns, owedToWebhooks } from "../outbox/owe-webhooks.ts";

/** What one must have seen of a run to end it from outside. */
export type SeenRun = { id: string; attempt: number; worker_id: string | null };

export type Finalization = {
  run_id: string;
  cause: Cause & ("finish" | "give_up" | "complete" | "cancel" | "expire");
  /** The attempt that the caller holds or saw; the write is refused when it is stale. */
  attempt: number;
  outcome: Outcome;
  duration_ms: number;
  /** What the transcript doesn't hold yet, the terminal event last. Of the raised attempt where `cause` raises it. */
  events: StreamEvent[];
  reason: string | null;
  /** Whether it is known to have no thread, and its agent no bound on how many run at once: nobody waits for its end. */
  alone?: true;
};

/**
 * `next_run_id`: a run that waited for this one, of its thread or its agent, and may start now. `owes`: there is a message to
 * send.
 */
export type Finalized = { kind: "finalized"; next_run_id: string | null; owes: boolean } | { kind: "stale" };

/**
 * Ends a run: status, transcript, transition, usage, callback's and webhooks' outbox rows, notification, thread and the
 * wiping of its secrets, in one statement. Exactly one of any number of callers gets `finalized`. Safe to repeat after a lost connection: the repeat
 * of a call that did commit is answered `finalized` too, recognised by its terminal event's place.
 */
export async function finalizeRun(db: Db, end: Finalization): Promise<Finalized> {
  const { rows } = await db.sql.query<{ next_run_id: string | null; owes: boolean }>({
    ...statement({ news: isNews(end.outcome.status), alone: end.alone === true }),
    values: valuesOf(end),
  });
  if (rows[0]) return { kind: "finalized", ...rows[0] };
  return (await isOurs(db, end)) ? { kind: "finalized", next_run_id: null, owes: true } : { kind: "stale" };
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

function valuesOf({ run_id, cause, attempt, outcome, duration_ms, events, reason }: Finalization): unknown[] {
  const raised = transitions[cause].attempt === "raise" ? attempt + 1 : attempt;
  const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value));
  return [
    run_id,
    attempt,
    [...transitions[cause].from],
    raised,
    outcome.status,
    json(outcome.result_content),
    json(outcome.error),
    json(outcome.state_snapshot),
    json(outcome.usage),
    duration_ms,
    ...chunkValues(events),
    transitions[cause].actor,
    reason,
    newId("msg"),
    ...(isNews(outcome.status) ? [newId("notif")] : []),
  ];
}

const isNews = (status: string): boolean => status === "error" || status === "timeout";

const endRun = `
    seen AS (
      SELECT id, status FROM runs WHERE id = $1 AND attempt = $2 AND status::text = ANY($3) FOR UPDATE
    ), ended AS (
      UPDATE runs SET attempt = $4, status = $5::run_status, result_content = $6, error = $7,
        state_snapshot = coalesce($8, state_snapshot), usage = coalesce($9, runs.usage), duration_ms = $10, last_seq = $12,
        completed_at = now(), lease_until = NULL
      FROM seen WHERE runs.id = seen.id
      RETURNING runs.id, runs.user_id, runs.agent_id, runs.version, runs.started_at, runs.thread_id, runs.input_payload,
        runs.completion_callback_url, runs.concurrency, runs.usage, seen.status AS previous
    ), transcript AS (
      INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events)
      SELECT id, $4, $11, $12, $13 FROM ended
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, $4, previous, $5::run_status, $14, $15 FROM ended
    ), metered AS (
      ${meterRun({ usage: "usage", duration_ms: "$10", id: "$16", status: "$5" })}
    ), wiped AS (
      DELETE FROM run_secrets USING ended WHERE run_id = ended.id
    ), owed AS (
      INSERT INTO outbox (id, user_id, run_id, type, url)
      SELECT $16, user_id, id, 'run.' || $5, completion_callback_url FROM ended
      WHERE completion_callback_url IS NOT NULL RETURNING id
    ), event AS (
      SELECT $16 AS seed, user_id, id AS run_id, 'run.' || $5 AS type, NULL::json AS payload FROM ended
    ), owed_to_webhooks AS (
      INSERT INTO outbox (${owedColumns}) ${owedToWebhooks("event")} RETURNING id
    )`;

const tellOwner = `
    news AS (
      SELECT $17::text AS id, user_id, 'run.' || $5 AS type, 'error' AS level,
        CASE $5 WHEN 'timeout' THEN 'A run of ' || agent_id || ' took too long' ELSE 'A run of ' || agent_id || ' failed' END AS title,
        left($7::json ->> 'message', 500) AS body, json_build_object('status', $5, 'code', $7::json ->> 'code') AS data,
        agent_id, id AS run_id, 'run:' || id AS dedup_key
      FROM ended WHERE $5 IN ('error', 'timeout')
    ), ${tellUsers}`;

const keepThread = `
    said AS (
      INSERT INTO thread_messages (thread_id, run_id, role, content)
      SELECT thread_id, id, part.role, part.content FROM ended,
        LATERAL (VALUES (1, 'user', ended.input_payload), (2, 'assistant', $6::json)) AS part (place, role, content)
      WHERE thread_id IS NOT NULL AND $5 = 'success' AND part.content IS NOT NULL ORDER BY part.place
    ), kept AS (
      UPDATE threads SET state_snapshot = coalesce($8, threads.state_snapshot), updated_at = now()
      FROM ended WHERE threads.id = ended.thread_id
    )`;

const nextRun = `coalesce(${nextOfThread("ended")}, ${nextOfAgent("ended")})`;

/** Without the parts that don't concern the run: each costs even when it does nothing, all of them a fifth of the statement. */
function statement({ news, alone }: { news: boolean; alone: boolean }) {
  const told = news ? `, ${tellOwner}` : "";
  const kept = alone ? "" : `, ${keepThread}`;
  const owes = ["owed", "owed_to_webhooks", ...(news ? ["told_owed"] : [])];
  return {
    name: `finalize-run${news ? "-news" : ""}${alone ? "-alone" : ""}`,
    text: `
    WITH ${endRun}${told}${kept}
    SELECT ${alone ? "NULL::text" : nextRun} AS next_run_id,
      ${owes.map((cte) => `EXISTS (SELECT FROM ${cte})`).join(" OR ")} AS owes
    FROM ended`,
  };
}
