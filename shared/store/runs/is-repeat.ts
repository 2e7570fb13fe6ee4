import type { Db } from "../client.ts";
import type { RepeatKey } from "../users/idempotency-keys.ts";

/** Whether a request with this run id or key was accepted before. */
export async function isRepeat(db: Db, run_id: string | null, key: RepeatKey | null): Promise<boolean> {
  const { rows } = await db.sql.query<{ repeat: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM runs WHERE id = $1) OR EXISTS (
       SELECT 1 FROM idempotency_keys WHERE user_id = $2 AND route = $3 AND key = $4) AS repeat`,
    [run_id, key?.user_id, key?.route, key?.key],
  );
  return rows[0]?.repeat ?? false;
}
