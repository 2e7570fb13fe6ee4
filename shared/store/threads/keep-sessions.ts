import type { Db } from "../client.ts";

/** The worker that keeps a thread's process now, if one does. */
export async function findSession(db: Db, threadId: string): Promise<string | null> {
  const { rows } = await db.sql.query<{ worker_id: string | null }>({ ...find, values: [threadId] });
  return rows[0]?.worker_id ?? null;
}

const find = {
  name: "find-session",
  text: "SELECT session_worker_id AS worker_id FROM threads WHERE id = $1 AND session_until > now()",
};

/** Prolongs a worker's hold on the threads whose processes it keeps. Gives those that it still has. */
export async function keepSessions(
  db: Db,
  { id, leaseMs }: { id: string; leaseMs: number },
  threadIds: string[],
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>({ ...keep, values: [id, leaseMs, threadIds] });
  return rows.map(({ id }) => id);
}

const keep = {
  name: "keep-sessions",
  text: `
    UPDATE threads SET session_until = now() + $2 * interval '1 ms'
    WHERE id = ANY($3) AND session_worker_id = $1 RETURNING id`,
};

/** Lets any worker start the thread's next process. */
export async function leaveSession(db: Db, workerId: string, threadId: string): Promise<void> {
  await db.prisma.thread.updateMany({
    where: { id: threadId, session_worker_id: workerId },
    data: { session_worker_id: null, session_until: null },
  });
}
