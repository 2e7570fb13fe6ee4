import type { UserRecord } from "../../schemas/user.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { searchPattern } from "../search-pattern.ts";
import { toUserRecord } from "./user-record.ts";

export type UserFilter = { since?: Date | undefined; until?: Date | undefined; search?: string | undefined };

export function listUsers(db: Db, filter: UserFilter, page: PageRequest): Promise<Page<UserRecord>> {
  const listing = {
    table: "users",
    key: "id",
    within: [["deleted_at IS NULL AND ?", true]],
    filters: [
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [["(id ILIKE ? OR name ILIKE ? OR email ILIKE ?)", searchPattern(filter.search)]],
    bytes: [bytesOf("metadata")],
    load: async (ids: string[]) => (await db.prisma.user.findMany({ where: { id: { in: ids } } })).map(toUserRecord),
  } as const;
  return readPage(db, listing, page);
}

/** Returns null when there is no such user, or `owner` is another one. */
export async function readUser(db: Db, id: string, owner: Owner): Promise<UserRecord | null> {
  if (owner !== null && owner !== id) return null;
  const row = await db.prisma.user.findUnique({ where: { id, deleted_at: null } });
  return row && toUserRecord(row);
}
