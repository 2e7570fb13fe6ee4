import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { perRow, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { keepsThreadBusy } from "./keeps-thread-busy.ts";

// The runs of a thread execute one after another, in the order in which they were accepted.

/** SQL on one row of `runs`: no run of its thread is ahead of it. */
export const isFirstOfThread = (run: string): Sql => sql`
  (${raw(run)}.thread_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM runs ahead WHERE ${keepsThreadBusy("ahead", raw(`${run}.thread_id`))}
      AND (ahead.created_at, ahead.id) < (${raw(run)}.created_at, ${raw(run)}.id) ${perRow}))`;

/** Returns the runs of a thread that go before one of it, newest first. */
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
