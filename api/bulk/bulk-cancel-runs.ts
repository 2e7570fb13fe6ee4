import { bulkCancelBody } from "../../shared/schemas/bulk.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { requestBulkOperation, bulkResponses } from "./request-bulk-operation.ts";

export const bulkCancelRuns = defineOperation({
  method: "post",
  path: "/v1/runs/bulk/cancel",
  name: "bulk_cancel_runs",
  area: "Runs",
  scope: "runs:write",
  idempotent: true,
  audit: { target: "bulk", detail: ({ body: { preview } }, { total }) => (preview ? null : { total }) },
  summary: "Cancel all runs that match a filter",
  description:
    "Cancels the matching runs that have not ended, in the background. With `preview` the runs are only counted, and the newest ten are shown.",
  request: { body: bulkCancelBody },
  errors: ["too_many_bulk_operations"],
  responses: bulkResponses("cancel"),
  async handle(
    { db }: Pick<ApiContext, "db">,
    { body: { filter, run_ids, preview }, caller: { owner, user_id, actor } },
  ) {
    return requestBulkOperation(
      db,
      { user_id, owner, actor, action: "cancel", filter: { ...filter, run_ids }, edits: {} },
      preview,
    );
  },
});
