import type { NotificationRecord } from "../../schemas/notification.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { toNotificationRecord } from "./notification-record.ts";

export type NotificationFilter = {
  user_id?: string | undefined;
  type?: string | undefined;
  level?: string | undefined;
  unread?: boolean | undefined;
  agent_id?: string | undefined;
  run_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

export function listNotifications(
  db: Db,
  owner: Owner,
  filter: NotificationFilter,
  page: PageRequest,
): Promise<Page<NotificationRecord>> {
  const listing = {
    table: "notifications",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["in_app = ?", true],
      ["user_id = ?", filter.user_id],
      ["run_id = ?", filter.run_id],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [
      ["type = ?", filter.type],
      ["level = ?::notification_level", filter.level],
      ["(read_at IS NULL) = ?", filter.unread],
      ["agent_id = ?", filter.agent_id],
    ],
    bytes: [bytesOf("data")],
    load: async (ids: string[]) =>
      (await db.prisma.notification.findMany({ where: { id: { in: ids } } })).map(toNotificationRecord),
  } as const;
  return readPage(db, listing, page);
}

/** Returns null when the owner has no such notification. */
export async function readNotification(db: Db, id: string, owner: Owner): Promise<NotificationRecord | null> {
  const row = await db.prisma.notification.findUnique({ where: { id, in_app: true, ...ownedBy(owner) } });
  return row && toNotificationRecord(row);
}

/** The notification that told a user of `dedup_key`, by app or webhook. */
export async function readToldOf(db: Db, user_id: string, dedup_key: string): Promise<NotificationRecord | null> {
  const row = await db.prisma.notification.findUnique({ where: { user_id_dedup_key: { user_id, dedup_key } } });
  return row && toNotificationRecord(row);
}

export function countUnread(db: Db, user_id: string): Promise<number> {
  return db.prisma.notification.count({ where: { user_id, read_at: null } });
}
