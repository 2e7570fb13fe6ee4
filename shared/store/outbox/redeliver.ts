import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * Makes a run's callback due now, whatever came of it before; its tries go on counting, so one that was exhausted gets
 * one more. Returns false when the run has no callback to send.
 */
export async function redeliver(db: Db, run_id: string): Promise<boolean> {
  return (await makeDue.count(db.sql, { run_id })) !== 0;
}

const makeDue = statement({
  name: "redeliver",
  takes: { run_id: t.text },
  text: sql`
    UPDATE outbox SET status = 'pending', next_attempt_at = now(), delivered_at = NULL
    WHERE run_id = $run_id AND webhook_id IS NULL`,
});
