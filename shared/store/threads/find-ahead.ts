import type { Db } from "../client.ts";
import { keepsBusy } from "./busy.ts";

/** The runs of a thread that go before one of it, newest first. */
export async function findAhead(db: Db, threadId: string, runId: string): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `SELECT id FROM runs WHERE ${keepsBusy("$1")}
       AND (created_at, id) < (SELECT created_at, id FROM runs WHERE id = $2)
     ORDER BY created_at DESC, id DESC`,
    [threadId, runId],
  );
  return rows.map((row) => row.id);
}
