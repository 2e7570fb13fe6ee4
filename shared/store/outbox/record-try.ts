import type { Db } from "../client.ts";

/** What follows from a try. `exhausted`: it is a dead letter. */
export type Verdict = { status: "delivered" } | { status: "pending"; delay_ms: number } | { status: "exhausted" };

export type Try = {
  status_code: number | null;
  /** A class, such as `timeout` or `http_500`; never the receiver's words. Null: delivered. */
  error: string | null;
  duration_ms: number;
  verdict: Verdict;
};

/** Logs a try and moves its message on. False: someone else tried since `tries` was seen, and nothing is changed. */
export async function recordTry(db: Db, message: { id: string; tries: number }, tried: Try): Promise<boolean> {
  const { status_code, error, duration_ms, verdict } = tried;
  const delay_ms = verdict.status === "pending" ? verdict.delay_ms : 0;
  const values = [message.id, message.tries, verdict.status, error, delay_ms, status_code, duration_ms];
  const { rowCount } = await db.sql.query({ ...statement, values });
  return rowCount === 1;
}

const statement = {
  name: "record-try",
  text: `
    WITH tried AS (
      UPDATE outbox SET tries = tries + 1, status = $3::outbox_status, last_error = $4, lease_until = NULL,
        next_attempt_at = now() + $5 * interval '1 ms',
        delivered_at = CASE WHEN $3::outbox_status = 'delivered' THEN now() END
      WHERE id = $1 AND tries = $2 AND status = 'pending'
      RETURNING id, tries
    )
    INSERT INTO outbox_tries (outbox_id, try, status_code, error, duration_ms)
    SELECT id, tries, $6, $4, $7 FROM tried`,
};
