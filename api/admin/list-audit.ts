import { auditEntry, auditQuery } from "../../shared/schemas/audit.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listAudit as readPage } from "../../shared/store/list-audit.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listAudit = defineOperation({
  method: "get",
  path: "/v1/admin/audit",
  name: "list_audit",
  area: "Admin",
  scope: "admin",
  summary: "The audit log, newest first",
  description:
    "Who did what to which thing, and what the service did by itself (`service`). Use it to answer who moved production. Entries have no request bodies and no secrets.",
  request: { query: auditQuery },
  responses: { 200: { description: "A page of audit entries", schema: pageOf(auditEntry) } },
  handle: ({ read }: Pick<ApiContext, "read">, { query }) =>
    read(async (db) => {
      const { limit, after, order, ...filter } = query;
      return { status: 200, body: await readPage(db, filter, { limit, after, order }) };
    }),
});
