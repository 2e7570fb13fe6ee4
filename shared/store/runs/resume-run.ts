import type { Db } from "../client.ts";

export type OpenQuestion = { id: string; response_schema: Record<string, unknown> | null; is_expired: boolean };

/** What an interrupted run waits for; null when it waits for nothing. */
export async function readOpenInterrupt(db: Db, runId: string): Promise<OpenQuestion | null> {
  const { rows } = await db.sql.query<OpenQuestion>(
    `SELECT i.id, i.response_schema, i.expires_at <= now() AS is_expired FROM interrupts i JOIN runs r ON r.id = i.run_id
     WHERE i.run_id = $1 AND i.answered_at IS NULL AND r.status = 'interrupted'`,
    [runId],
  );
  return rows[0] ?? null;
}

type Answer = {
  run_id: string;
  interrupt_id: string;
  response: unknown;
  answered_by: string | null;
  queue_ttl_ms: number;
};

/** Puts an answered run back into the queue. False: it was answered, cancelled or expired since; exactly one answer counts. */
export async function resumeRun(db: Db, answer: Answer): Promise<boolean> {
  const { run_id, interrupt_id, response, answered_by, queue_ttl_ms } = answer;
  const values = [run_id, interrupt_id, JSON.stringify(response), answered_by, queue_ttl_ms];
  const result = await db.sql.query({ ...statement, values });
  return result.rowCount === 1;
}

const statement = {
  name: "resume-run",
  text: `
    WITH queued AS (
      UPDATE runs SET status = 'queued', expires_at = now() + $5 * interval '1 ms'
      WHERE id = $1 AND status = 'interrupted' AND expires_at > now() AND EXISTS (
        SELECT 1 FROM interrupts WHERE run_id = $1 AND id = $2 AND answered_at IS NULL)
      RETURNING id, attempt
    ), answered AS (
      UPDATE interrupts SET response = $3, answered_by = $4, answered_at = now()
      FROM queued WHERE interrupts.run_id = queued.id AND interrupts.id = $2
    )
    INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, reason)
    SELECT id, attempt, 'interrupted', 'queued', 'client', 'resumed' FROM queued`,
};
