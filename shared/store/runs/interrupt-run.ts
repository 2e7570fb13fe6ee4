import type { OpenInterrupt, StreamEvent, Usage } from "../../schemas/run-event.ts";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";
import { nowOnTheWire, owedColumns, owedToWebhooks } from "../outbox/owe-webhooks.ts";
import { chunkValues } from "./chunk-values.ts";
import { hasStatus } from "./has-status.ts";
import { nextOfAgent, nextOfThread } from "./next-waiting.ts";
import type { HeldRun } from "./renew-leases.ts";

export type Interruption = {
  run: HeldRun;
  interrupt: OpenInterrupt;
  state_snapshot: string | null;
  /** Of all its attempts together. */
  usage: Usage | null;
  duration_ms: number;
  /** What the transcript doesn't hold yet, `run.interrupted` last. */
  events: StreamEvent[];
};

/**
 * Puts a run aside until a person has answered, and owes it to the webhooks that ask for it: its slot is free, its attempt is over. Null: the attempt is stale, or
 * somebody asked to cancel the run meanwhile. `next_run_id`: a run that waited for this one, of its thread or its agent.
 */
export async function interruptRun(db: Db, interruption: Interruption): Promise<{ next_run_id: string | null } | null> {
  const { run, interrupt, state_snapshot, usage, duration_ms, events } = interruption;
  const { rows } = await db.sql.query<{ next_run_id: string | null }>({
    ...statement,
    values: [
      run.id,
      run.attempt,
      ...chunkValues(events),
      state_snapshot === null ? null : JSON.stringify(state_snapshot),
      usage === null ? null : JSON.stringify(usage),
      interrupt.expires_at,
      interrupt.id,
      interrupt.reason,
      interrupt.message,
      interrupt.response_schema === null ? null : JSON.stringify(interrupt.response_schema),
      newId("msg"),
      JSON.stringify(interrupt),
      duration_ms,
    ],
  });
  return rows[0] ?? null;
}

const statement = {
  name: "interrupt-run",
  text: `
    WITH held AS (
      UPDATE runs SET status = 'interrupted', last_seq = $4, state_snapshot = coalesce($6, state_snapshot), usage = $7, duration_ms = $15,
        expires_at = $8, lease_until = NULL, worker_id = NULL
      WHERE id = $1 AND attempt = $2 AND ${hasStatus("runs", "running")} AND cancel_requested_at IS NULL
      RETURNING id, user_id, agent_id, version, thread_id, concurrency
    ), transcript AS (
      INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events) SELECT id, $2, $3, $4, $5 FROM held
    ), transition AS (
      INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
      SELECT id, $2, 'running', 'interrupted', 'worker', $10 FROM held
    ), asked AS (
      INSERT INTO interrupts (run_id, id, attempt, reason, message, response_schema, expires_at)
      SELECT id, $9, $2, $10, $11, $12, $8 FROM held
    ), event AS (
      SELECT $13 AS seed, user_id, id AS run_id, 'run.interrupted' AS type,
        json_build_object('type', 'run.interrupted', 'timestamp', ${nowOnTheWire}, 'run_id', id, 'thread_id', thread_id,
          'agent_id', agent_id, 'version', version, 'status', 'interrupted', 'attempt', $2::int, 'interrupts',
          json_build_array($14::json)) AS payload
      FROM held
    ), owed AS (
      INSERT INTO outbox (${owedColumns}) ${owedToWebhooks("event")}
    )
    SELECT coalesce(${nextOfThread("held")}, ${nextOfAgent("held")}) AS next_run_id FROM held`,
};
