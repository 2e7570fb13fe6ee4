import type { EventId } from "../../../domain/run/event-id.ts";
import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { moveRuns } from "./move-runs.ts";
import { runIs } from "../run-is.ts";

export type OpenQuestion = {
  id: string;
  response_schema: Record<string, unknown> | null;
  is_expired: boolean;
  /** The event that asks. */
  asked: EventId;
};

/** What an interrupted run waits for; null when it waits for nothing. */
export async function readOpenInterrupt(db: Db, runId: string): Promise<OpenQuestion | null> {
  const open = await readOpen.first(db.sql, { run_id: runId });
  if (!open) return null;
  const { attempt, last_seq, ...question } = open;
  return { ...question, asked: { attempt, seq: last_seq } };
}

const readOpen = statement({
  name: "read-open-interrupt",
  takes: { run_id: t.text },
  gives: {
    id: t.text,
    response_schema: orNull(t.json<Record<string, unknown>>()),
    is_expired: t.boolean,
    attempt: t.integer,
    last_seq: t.integer,
  },
  text: sql`
    SELECT i.id, i.response_schema, i.expires_at <= now() AS is_expired, r.attempt, r.last_seq
    FROM interrupts i JOIN runs r ON r.id = i.run_id
    WHERE i.run_id = $run_id AND i.answered_at IS NULL AND ${runIs.interrupted("r")}`,
});

type Answer = {
  run_id: string;
  interrupt_id: string;
  response: unknown;
  answered_by: string | null;
  queue_ttl_ms: number;
};

/**
 * Puts an answered run back into the queue. Returns false when it was answered, cancelled or expired since: exactly one
 * answer counts.
 */
export async function resumeRun(db: Db, { run_id: id, ...answer }: Answer): Promise<boolean> {
  return (await resume.first(db.sql, { id, ...answer })) !== null;
}

const resume = statement({
  name: "resume-run",
  takes: {
    id: t.text,
    interrupt_id: t.text,
    response: t.json(),
    answered_by: orNull(t.text),
    queue_ttl_ms: t.double,
  },
  gives: { id: t.text },
  text: sql`
    WITH ${moveRuns("resume", {
      by: sql`$answered_by`,
      set: sql`expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
      where: sql`runs.expires_at > now() AND EXISTS (
        SELECT 1 FROM interrupts WHERE run_id = $id AND id = $interrupt_id AND answered_at IS NULL)`,
    })}, answered AS (
      UPDATE interrupts SET response = $response, answered_by = $answered_by, answered_at = now()
      FROM moved WHERE interrupts.run_id = moved.id AND interrupts.id = $interrupt_id
    )
    SELECT id FROM moved`,
});
