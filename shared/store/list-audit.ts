import type { AuditEntry, AuditFilter } from "../schemas/audit.ts";
import type { Db } from "./client.ts";
import { type Page, type PageRequest, readPage } from "./read-page.ts";

export function listAudit(db: Db, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
  const listing = {
    table: "audit_log",
    key: "id",
    within: [],
    filters: [
      ["user_id = ?", filter.user_id],
      ["target_type = ?", filter.target_type],
      ["target_id = ?", filter.target_id],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [
      ["actor = ?", filter.actor],
      ["action = ?", filter.action],
    ],
    bytes: [],
    load: async (ids: string[]) => {
      const rows = await db.prisma.auditEntry.findMany({ where: { id: { in: ids } } });
      return rows.map(({ created_at, detail, ...row }) => ({
        ...row,
        detail: detail as AuditEntry["detail"],
        created_at: created_at.toISOString(),
      }));
    },
  } as const;
  return readPage<AuditEntry>(db, listing, page);
}
