import type { Db } from "../client.ts";

/** The runs that have been in the queue for longest. */
export async function findQueuedRuns(db: Db, limit: number): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    "SELECT id FROM runs WHERE status = 'queued' AND lifecycle <> 'daemon' ORDER BY created_at LIMIT $1",
    [limit],
  );
  return rows.map((row) => row.id);
}
