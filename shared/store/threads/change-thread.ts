import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import type { Db } from "../client.ts";
import type { Prisma } from "../generated/client.ts";
import { inTransaction } from "../in-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

export type ThreadPatch = {
  title?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

/** Merges a patch into a thread; concurrent ones go one after the other. False: the owner has no such thread. */
export async function patchThread(db: Db, id: string, owner: Owner, patch: ThreadPatch): Promise<boolean> {
  return db.prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM threads WHERE id = ${id} FOR UPDATE`;
    const thread = await tx.thread.findUnique({
      where: { id, ...ownedBy(owner) },
      select: { title: true, metadata: true },
    });
    if (!thread) return false;
    const { title = thread.title, metadata } = patch;
    const merged = mergeMetadata(thread.metadata, metadata);
    const data = { title, metadata: merged as Prisma.InputJsonObject, updated_at: new Date() };
    await tx.thread.update({ where: { id }, data, select: { id: true } });
    return true;
  });
}

/**
 * Removes a thread with its messages; its ended runs stay. `busy`: a run has not ended. The row's lock is taken before the
 * look, so no run can join it in between.
 */
export async function deleteThread(db: Db, id: string, owner: Owner): Promise<"deleted" | "missing" | "busy"> {
  return inTransaction(db, async (client) => {
    const found = await client.query(
      "SELECT 1 FROM threads WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) FOR UPDATE",
      [id, owner],
    );
    if (found.rowCount === 0) return "missing";
    const { rowCount } = await client.query(
      `DELETE FROM threads WHERE id = $1 AND NOT EXISTS (
         SELECT 1 FROM runs WHERE thread_id = $1 AND status IN ('scheduled', 'queued', 'running', 'interrupted'))`,
      [id],
    );
    return rowCount === 1 ? "deleted" : "busy";
  });
}
