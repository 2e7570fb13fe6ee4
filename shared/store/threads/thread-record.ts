import { type ThreadRecord, threadRecord } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { keepsBusy } from "./busy.ts";

type Row = Pick<ThreadRecord, "id" | "user_id" | "agent_id" | "title" | "status" | "forked_from"> & {
  metadata: unknown;
  created_at: Date;
  updated_at: Date;
};

/** The owner's threads of these ids, in any order. */
export async function readThreads(db: Db, ids: string[], owner: Owner): Promise<ThreadRecord[]> {
  const { rows } = await db.sql.query<Row>({ ...statement, values: [ids, owner] });
  return rows.map((row) => ({
    ...row,
    thread_id: row.id,
    object: "thread",
    metadata: threadRecord.shape.metadata.parse(row.metadata),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}

/** Null when the owner has no such thread. */
export async function readThread(db: Db, id: string, owner: Owner): Promise<ThreadRecord | null> {
  return (await readThreads(db, [id], owner))[0] ?? null;
}

const statement = {
  name: "read-threads",
  text: `
    SELECT t.id, t.user_id, t.agent_id, t.title, t.metadata, t.forked_from, t.created_at, t.updated_at,
      CASE WHEN EXISTS (SELECT 1 FROM runs WHERE ${keepsBusy("t.id")}) THEN 'busy'
        WHEN last.status IN ('interrupted', 'error') THEN last.status::text ELSE 'idle' END AS status
    FROM threads t
    LEFT JOIN LATERAL (
      SELECT status FROM runs WHERE thread_id = t.id AND created_at >= t.created_at
      ORDER BY created_at DESC, id DESC LIMIT 1
    ) last ON true
    WHERE t.id = ANY($1) AND ($2::text IS NULL OR t.user_id = $2)`,
};
