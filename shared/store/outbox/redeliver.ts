import type { Db } from "../client.ts";

/**
 * Makes a run's callback due now, whatever came of it before; its tries go on counting, so one that was exhausted gets
 * one more. False: the run owes no callback.
 */
export async function redeliver(db: Db, run_id: string): Promise<boolean> {
  const { rowCount } = await db.sql.query({ ...statement, values: [run_id] });
  return rowCount !== 0;
}

const statement = {
  name: "redeliver",
  text: `
    UPDATE outbox SET status = 'pending', next_attempt_at = now(), delivered_at = NULL
    WHERE run_id = $1 AND webhook_id IS NULL`,
};
