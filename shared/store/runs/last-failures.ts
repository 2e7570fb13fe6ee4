import { runRecord } from "../../schemas/run.ts";
import type { Db } from "../client.ts";

export type Failure = { run_id: string; version: string; message: string; at: string };

const lookedAt = 500;

/** The last failure of each error code among an agent's last ones that ended in a stretch of time. */
export async function readLastFailures(
  db: Db,
  agent_id: string,
  { since, until }: { since: Date; until: Date },
): Promise<Map<string, Failure>> {
  const { rows } = await db.sql.query<{ run_id: string; version: string; error: unknown; completed_at: Date }>(
    `SELECT id AS run_id, version, error, completed_at FROM (
       (${failed("error")}) UNION ALL (${failed("timeout")}) UNION ALL (${failed("expired")})) AS failed
     WHERE completed_at >= $2 AND completed_at < $3 ORDER BY completed_at`,
    [agent_id, since, until],
  );
  const last = new Map<string, Failure>();
  for (const { run_id, version, error, completed_at } of rows) {
    const known = runRecord.shape.error.parse(error);
    if (known) last.set(known.code, { run_id, version, message: known.message, at: completed_at.toISOString() });
  }
  return last;
}

const failed = (status: string) => `
  SELECT id, version, error, completed_at FROM runs
  WHERE agent_id = $1 AND status = '${status}' AND created_at < $3 ORDER BY created_at DESC LIMIT ${lookedAt}`;
