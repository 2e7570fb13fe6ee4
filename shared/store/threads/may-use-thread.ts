import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";

/** Whether a thread is the owner's, or nobody's yet. */
export async function mayUseThread(db: Db, id: string, owner: Owner): Promise<boolean> {
  if (owner === null) return true;
  const thread = await db.prisma.thread.findUnique({ where: { id }, select: { user_id: true } });
  return thread === null || thread.user_id === owner;
}
