import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

/** Which notifications: of the given ids, of a user, of a type. What is absent does not narrow the choice. */
export type Which = { ids?: string[] | undefined; user_id?: string | undefined; type?: string | undefined };

/** Marks the owner's notifications as read or unread; those that are so already keep their time. Returns how many changed. */
export async function markRead(db: Db, owner: Owner, { ids, user_id, type }: Which, read: boolean): Promise<number> {
  const where = {
    AND: [ownedBy(owner), user_id === undefined ? {} : { user_id }],
    ...(ids && { id: { in: ids } }),
    ...(type !== undefined && { type }),
    in_app: true,
    read_at: read ? null : { not: null },
  };
  const data = { read_at: read ? new Date() : null };
  // A user may have millions. Each batch is committed by itself, and locks few rows.
  for (let sum = 0; ;) {
    const { count } = await db.prisma.notification.updateMany({ where, data, limit: batch });
    sum += count;
    if (count < batch) return sum;
  }
}

const batch = 500;

/** Returns false when the owner has no such notification. */
export async function deleteNotification(db: Db, id: string, owner: Owner): Promise<boolean> {
  const { count } = await db.prisma.notification.deleteMany({ where: { id, in_app: true, ...ownedBy(owner) } });
  return count === 1;
}
