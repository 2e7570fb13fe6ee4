import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "../runs/run-is.ts";

/**
 * Agents whose daemon is wanted and on no worker's hands, and those with a message that has waited for a minute; of each
 * at most `limit`.
 */
export async function findNeglectedDaemons(db: Db, limit: number): Promise<{ unowned: string[]; unread: string[] }> {
  const ids = (found: { agent_id: string }[]): string[] => found.map((row) => row.agent_id);
  return { unowned: ids(await unowned.rows(db.sql, { limit })), unread: ids(await unread.rows(db.sql, { limit })) };
}

const unowned = statement({
  name: "find-unowned-daemons",
  takes: { limit: t.integer },
  gives: { agent_id: t.text },
  text: sql`
    SELECT agent_id FROM daemons
    WHERE (lease_until IS NULL OR lease_until < now()) AND status <> 'failed' AND desired <> 'stopped' LIMIT $limit`,
});

const unread = statement({
  name: "find-unread-mailboxes",
  takes: { limit: t.integer },
  gives: { agent_id: t.text },
  text: sql`
    SELECT DISTINCT agent_id FROM runs
    WHERE ${runIs.queued()} AND lifecycle = 'daemon' AND created_at < now() - interval '1 minute' LIMIT $limit`,
});
