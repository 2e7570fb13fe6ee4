import type { HookRecord } from "../../schemas/hook.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { toHookRecord } from "./hook-record.ts";

export type HookFilters = {
  user_id?: string | undefined;
  agent_id?: string | undefined;
  status?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Whose hooks, and under which address the service is reached. */
type Seen = { owner: Owner; publicUrl: string };

export function listHooks(
  db: Db,
  { owner, publicUrl }: Seen,
  filter: HookFilters,
  page: PageRequest,
): Promise<Page<HookRecord>> {
  const listing = {
    table: "hooks",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["user_id = ?", filter.user_id],
      ["agent_id = ?", filter.agent_id],
      ["status = ?::hook_status", filter.status],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    bytes: [bytesOf("rules"), bytesOf("metadata")],
    load: async (ids: string[]) =>
      (await db.prisma.hook.findMany({ where: { id: { in: ids } } })).map((row) => toHookRecord(row, publicUrl)),
  } as const;
  return readPage(db, listing, page);
}

/** Returns null when the owner has no such hook. */
export async function readHook(db: Db, id: string, { owner, publicUrl }: Seen): Promise<HookRecord | null> {
  const row = await db.prisma.hook.findUnique({ where: { id, ...ownedBy(owner) } });
  return row && toHookRecord(row, publicUrl);
}
