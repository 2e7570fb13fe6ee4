import { type PastState, pastState } from "../../schemas/thread.ts";
import type { Db } from "../client.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";

/** What the ended runs of a thread left as its state, from `since` on: an older thread of this id is another one. */
export function listPastStates(
  db: Db,
  thread: { id: string; since: Date },
  page: PageRequest,
): Promise<Page<PastState>> {
  const listing = {
    table: "runs",
    key: "id",
    within: [
      ["thread_id = ?", thread.id],
      ["created_at >= ?", thread.since],
    ],
    filters: [["completed_at IS NOT NULL AND ?", true]],
    bytes: [bytesOf("state_snapshot")],
    load: (ids: string[]) => readPastStates(db, ids),
  } as const;
  return readPage(db, listing, page);
}

/** What one ended run of a thread left as its state. Null: the thread has no such run. */
export async function readPastState(
  db: Db,
  thread: { id: string; since: Date },
  runId: string,
): Promise<PastState | null> {
  const within = { id: runId, thread_id: thread.id, created_at: { gte: thread.since }, completed_at: { not: null } };
  const run = await db.prisma.run.findFirst({ where: within, select: { id: true } });
  return run ? ((await readPastStates(db, [runId]))[0] ?? null) : null;
}

async function readPastStates(db: Db, ids: string[]): Promise<PastState[]> {
  const rows = await db.prisma.run.findMany({
    where: { id: { in: ids } },
    select: { id: true, thread_id: true, status: true, state_snapshot: true, created_at: true, completed_at: true },
  });
  return rows.map(({ id, thread_id, status, state_snapshot, created_at, completed_at }) => ({
    id,
    run_id: id,
    object: "thread_state",
    thread_id: thread_id ?? "",
    status,
    state_snapshot: pastState.shape.state_snapshot.parse(state_snapshot),
    created_at: created_at.toISOString(),
    completed_at: (completed_at ?? created_at).toISOString(),
  }));
}
