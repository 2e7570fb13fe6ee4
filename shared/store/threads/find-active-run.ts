import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import type { Owner } from "../owned-by.ts";
import { runIs } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { keepsThreadBusy } from "./keeps-thread-busy.ts";

/** Returns the newest run of a thread that is queued, scheduled or running; null when nothing runs. */
export async function findOpenRun(db: Db, threadId: string, owner: Owner): Promise<string | null> {
  return (await openRun.first(db.sql, { thread_id: threadId, owner }))?.id ?? null;
}

const openRun = statement({
  name: "find-open-run-of-thread",
  takes: { thread_id: t.text, owner: orNull(t.text) },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM runs WHERE ${keepsThreadBusy("runs", sql`$thread_id`)} AND ($owner IS NULL OR user_id = $owner)
    ORDER BY created_at DESC, id DESC LIMIT 1`,
});

export type OpenInterruptOfThread = {
  run_id: string;
  interrupt_id: string;
  response_schema: Record<string, unknown> | null;
};

/** Returns what the interrupted runs of a thread ask, the newest first. */
export function findOpenInterrupts(db: Db, threadId: string, owner: Owner): Promise<OpenInterruptOfThread[]> {
  return openInterrupts.rows(db.sql, { thread_id: threadId, owner });
}

const openInterrupts = statement({
  name: "find-open-interrupts-of-thread",
  takes: { thread_id: t.text, owner: orNull(t.text) },
  gives: { run_id: t.text, interrupt_id: t.text, response_schema: orNull(t.json<Record<string, unknown>>()) },
  text: sql`
    SELECT r.id AS run_id, i.id AS interrupt_id, i.response_schema
    FROM runs r JOIN interrupts i ON i.run_id = r.id AND i.answered_at IS NULL
    WHERE r.thread_id = $thread_id AND ${runIs.interrupted("r")} AND ($owner IS NULL OR r.user_id = $owner)
    ORDER BY r.created_at DESC, r.id DESC LIMIT 100`,
});
