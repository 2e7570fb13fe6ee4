import type { ConnectionRecord } from "../../schemas/connection.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { toConnectionRecord } from "./connection-record.ts";

type Filters = { user_id?: string | undefined; agent_id?: string | undefined };

export function listConnections(
  db: Db,
  owner: Owner,
  filter: Filters,
  page: PageRequest,
): Promise<Page<ConnectionRecord>> {
  const listing = {
    table: "connections",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["user_id = ?", filter.user_id],
      ["agent_id = ?", filter.agent_id],
    ],
    bytes: [],
    load: async (ids: string[]) =>
      (await db.prisma.connection.findMany({ where: { id: { in: ids } } })).map(toConnectionRecord),
  } as const;
  return readPage(db, listing, page);
}
