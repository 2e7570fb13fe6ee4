import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** The worker that has a thread's process now; null when none has, or one of another pool than the thread's next run. */
export async function findProcessHolder(db: Db, threadId: string, pool: string): Promise<string | null> {
  return (await find.first(db.sql, { thread_id: threadId, pool }))?.worker_id ?? null;
}

const find = statement({
  name: "find-session",
  takes: { thread_id: t.text, pool: t.text },
  gives: { worker_id: orNull(t.text) },
  text: sql`
    SELECT session_worker_id AS worker_id FROM threads WHERE id = $thread_id AND session_until > now()
      AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = session_worker_id AND w.pool <> $pool)`,
});

/** Prolongs a worker's leases on the threads whose processes it has. Returns those that it still has. */
export async function renewProcessLeases(
  db: Db,
  { id, leaseMs }: { id: string; leaseMs: number },
  threadIds: string[],
): Promise<string[]> {
  const rows = await renew.rows(db.sql, { worker_id: id, lease_ms: leaseMs, thread_ids: threadIds });
  return rows.map((row) => row.id);
}

const renew = statement({
  name: "renew-sessions",
  takes: { worker_id: t.text, lease_ms: t.double, thread_ids: listOf(t.text) },
  gives: { id: t.text },
  text: sql`
    UPDATE threads SET session_until = now() + $lease_ms * interval '1 ms'
    WHERE id = ANY($thread_ids) AND session_worker_id = $worker_id RETURNING id`,
});

/** Lets any worker start the thread's next process. */
export async function releaseProcess(db: Db, workerId: string, threadId: string): Promise<void> {
  await db.prisma.thread.updateMany({
    where: { id: threadId, session_worker_id: workerId },
    data: { session_worker_id: null, session_until: null },
  });
}
