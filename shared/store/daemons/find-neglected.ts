import type { Db } from "../client.ts";

/**
 * Agents whose daemon is wanted and on no worker's hands, and those with a message that has waited for a minute; of each
 * at most `limit`.
 */
export async function findNeglectedDaemons(db: Db, limit: number): Promise<{ unowned: string[]; unread: string[] }> {
  const { rows: unowned } = await db.sql.query<{ agent_id: string }>(
    `SELECT agent_id FROM daemons
     WHERE (lease_until IS NULL OR lease_until < now()) AND status <> 'failed' AND desired <> 'stopped' LIMIT $1`,
    [limit],
  );
  const { rows: unread } = await db.sql.query<{ agent_id: string }>(
    `SELECT DISTINCT agent_id FROM runs
     WHERE status = 'queued' AND lifecycle = 'daemon' AND created_at < now() - interval '1 minute' LIMIT $1`,
    [limit],
  );
  const ids = (found: { agent_id: string }[]): string[] => found.map((row) => row.agent_id);
  return { unowned: ids(unowned), unread: ids(unread) };
}
