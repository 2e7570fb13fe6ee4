import { bulkListQuery, bulkRecord } from "../../shared/schemas/bulk.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listBulks } from "../../shared/store/bulk/bulk-operations.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listBulkOperations = defineOperation({
  method: "get",
  path: "/v1/runs/bulk",
  name: "list_bulk_operations",
  area: "Runs",
  scope: "runs:read",
  summary: "Bulk operations, newest first",
  description: "Use it to come back to operations that go on in the background, and to what became of them.",
  request: { query: bulkListQuery },
  responses: { 200: { description: "A page of operations", schema: pageOf(bulkRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query: { status, user_id, ...page }, caller }) {
    return { status: 200, body: await listBulks(db, caller.owner, { status, user_id }, page) };
  },
});
