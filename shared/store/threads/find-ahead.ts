import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { keepsThreadBusy } from "./busy.ts";

/** The runs of a thread that go before one of it, newest first. */
export async function findAhead(db: Db, threadId: string, runId: string): Promise<string[]> {
  const rows = await ahead.rows(db.sql, { thread_id: threadId, run_id: runId });
  return rows.map((row) => row.id);
}

const ahead = statement({
  name: "find-runs-ahead",
  takes: { thread_id: t.text, run_id: t.text },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM runs WHERE ${keepsThreadBusy("runs", sql`$thread_id`)}
      AND (created_at, id) < (SELECT created_at, id FROM runs WHERE id = $run_id)
    ORDER BY created_at DESC, id DESC`,
});
