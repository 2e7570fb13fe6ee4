import { type ThreadRecord, threadRecord } from "../../schemas/thread.ts";
import { transitions } from "../../domain/run/transitions.ts";
import type { RunStatus } from "../../domain/run/run-status.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import type { Owner } from "../owned-by.ts";
import { joined, literal, perRow, raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { keepsThreadBusy } from "./keeps-thread-busy.ts";

/** The owner's threads of these ids, in any order. */
export async function readThreads(db: Db, ids: string[], owner: Owner): Promise<ThreadRecord[]> {
  const rows = await read.rows(db.sql, { ids, owner });
  return rows.map((row) => ({
    ...row,
    tags: [...row.tags],
    thread_id: row.id,
    object: "thread",
    metadata: threadRecord.shape.metadata.parse(row.metadata),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}

/** Returns null when the owner has no such thread. */
export async function readThread(db: Db, id: string, owner: Owner): Promise<ThreadRecord | null> {
  return (await readThreads(db, [id], owner))[0] ?? null;
}

/** States of a thread's last run that a thread shows as its own. */
const shown: readonly RunStatus[] = [...transitions.interrupt.to, "error"];

/** SQL: the status of a row of `threads`. */
export const threadStatus = (thread: string): Sql => sql`CASE
  WHEN EXISTS (SELECT 1 FROM runs WHERE ${keepsThreadBusy("runs", raw(`${thread}.id`))} ${perRow}) THEN 'busy'
  ELSE coalesce((SELECT CASE WHEN last.status IN (${joined(shown.map(literal), ", ")}) THEN last.status::text END FROM (
    SELECT status FROM runs WHERE thread_id = ${raw(`${thread}.id`)} AND created_at >= ${raw(`${thread}.created_at`)}
    ORDER BY created_at DESC, id DESC LIMIT 1) last), 'idle') END`;

const read = statement({
  name: "read-threads",
  takes: { ids: listOf(t.text), owner: orNull(t.text) },
  gives: {
    id: t.text,
    user_id: t.text,
    agent_id: orNull(t.text),
    title: orNull(t.text),
    tags: listOf(t.text),
    metadata: t.json(),
    forked_from: orNull(t.text),
    created_at: t.timestamptz,
    updated_at: t.timestamptz,
    status: t.word<ThreadRecord["status"]>(),
  },
  text: sql`
    SELECT t.id, t.user_id, t.agent_id, t.title, t.tags, t.metadata, t.forked_from, t.created_at, t.updated_at,
      ${threadStatus("t")} AS status
    FROM threads t
    WHERE t.id = ANY($ids) AND ($owner IS NULL OR t.user_id = $owner)`,
});
