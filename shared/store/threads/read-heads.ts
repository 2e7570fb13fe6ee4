import type { RunStatus } from "../../domain/run/run-status.ts";
import type { OpenInterrupt, RunError } from "../../schemas/run-event.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "../runs/run-is.ts";

const columns = {
  thread_id: t.text,
  state_snapshot: orNull(t.json<string>()),
  run_id: orNull(t.text),
  agent_id: orNull(t.text),
  status: orNull(t.enumeration<RunStatus>("run_status")),
  created_at: orNull(t.timestamptz),
  completed_at: orNull(t.timestamptz),
  input_payload: orNull(t.json<Record<string, unknown>>()),
  error: orNull(t.json<RunError>()),
  interrupts: t.json<OpenInterrupt[]>(),
};

/** How a thread stands: its state, its last run, and what that run asks. Without a run the run's fields are null. */
export type ThreadHead = Row<typeof columns>;

/** Reads the heads of threads, in any order. An input of more than `bytes` is left out. */
export async function readHeads(db: Db, threadIds: readonly string[], bytes: number): Promise<ThreadHead[]> {
  return read.rows(db.sql, { thread_ids: threadIds, bytes });
}

const read = statement({
  name: "read-thread-heads",
  takes: { thread_ids: listOf(t.text), bytes: t.double },
  gives: columns,
  text: sql`
    SELECT t.id AS thread_id, t.state_snapshot, last.id AS run_id, last.agent_id, last.status, last.created_at,
      last.completed_at,
      CASE WHEN octet_length(last.input_payload::text) <= $bytes THEN last.input_payload END AS input_payload,
      last.error, coalesce(asked.interrupts, '[]'::json) AS interrupts
    FROM threads t
    LEFT JOIN LATERAL (
      SELECT * FROM runs r WHERE r.thread_id = t.id AND r.created_at >= t.created_at
      ORDER BY r.created_at DESC, r.id DESC LIMIT 1
    ) last ON true
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('id', i.id, 'reason', i.reason, 'message', i.message,
        'response_schema', i.response_schema, 'expires_at', i.expires_at)) AS interrupts
      FROM interrupts i WHERE i.run_id = last.id AND i.answered_at IS NULL AND ${runIs.interrupted("last")}
    ) asked ON true
    WHERE t.id = ANY($thread_ids)`,
});
