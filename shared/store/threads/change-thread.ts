import { labelsOf } from "../../domain/run/labels.ts";
import { requestLimits } from "../../domain/run/request-limits.ts";
import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Prisma } from "../generated/client.ts";
import { inTransaction } from "../in-transaction.ts";
import { lockRow } from "../prisma-transaction.ts";
import { runIs } from "../runs/run-is.ts";
import { lockThread } from "./lock-thread.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

export type ThreadPatch = {
  title?: string | null | undefined;
  tags?: string[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

/** Merges a patch into a thread; concurrent ones go one after the other. Returns false when the owner has no such thread. */
export async function patchThread(db: Db, id: string, owner: Owner, patch: ThreadPatch): Promise<boolean> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "threads", id);
    const thread = await tx.thread.findUnique({
      where: { id, ...ownedBy(owner) },
      select: { title: true, tags: true, metadata: true },
    });
    if (!thread) return false;
    const { title = thread.title, metadata } = patch;
    const tags = patch.tags === undefined ? thread.tags : [...new Set(patch.tags)];
    const merged = mergeMetadata(thread.metadata, metadata, requestLimits.metadata_keys);
    const labels = labelsOf({ tags, metadata: merged });
    const data = { title, tags, labels, metadata: merged as Prisma.InputJsonObject, updated_at: new Date() };
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
    if ((await lockThread.count(client, { id, owner })) === 0) return "missing";
    return (await remove.count(client, { id })) === 1 ? "deleted" : "busy";
  });
}

const remove = statement({
  name: "delete-thread",
  takes: { id: t.text },
  text: sql`
    DELETE FROM threads
    WHERE id = $id AND NOT EXISTS (SELECT 1 FROM runs WHERE thread_id = $id AND ${runIs.open()})`,
});
