import type { DeadLetter } from "../../schemas/admin.ts";
import type { Db } from "../client.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";

export type DeadLetterFilter = {
  user_id?: string | undefined;
  run_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Messages that were given up. */
export function listDeadLetters(db: Db, filter: DeadLetterFilter, page: PageRequest): Promise<Page<DeadLetter>> {
  const listing = {
    table: "outbox",
    key: "id",
    within: [["status = 'exhausted' AND ?", true]],
    filters: [
      ["user_id = ?", filter.user_id],
      ["run_id = ?", filter.run_id],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    bytes: [],
    load: async (ids: string[]) => {
      const rows = await db.prisma.outboxMessage.findMany({
        where: { id: { in: ids } },
        select: {
          id: true,
          user_id: true,
          run_id: true,
          webhook_id: true,
          type: true,
          url: true,
          tries: true,
          last_error: true,
          created_at: true,
        },
      });
      return rows.map(({ url, created_at, ...row }) => ({
        ...row,
        object: "dead_letter" as const,
        url_host: new URL(url).host,
        created_at: created_at.toISOString(),
      }));
    },
  } as const;
  return readPage<DeadLetter>(db, listing, page);
}
