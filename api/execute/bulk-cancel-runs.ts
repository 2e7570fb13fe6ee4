import { bulkCancelBody } from "../../shared/schemas/bulk.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { askBulk, bulkResponses } from "./ask-bulk.ts";

export const bulkCancelRuns = defineOperation({
  method: "post",
  path: "/v1/runs/bulk/cancel",
  name: "bulk_cancel_runs",
  area: "Runs",
  scope: "runs:write",
  idempotent: true,
  audit: "bulk",
  summary: "Cancel all runs that a filter names",
  description: "Those that have not ended, in the background. With `preview` it only counts them.",
  request: { body: bulkCancelBody },
  responses: bulkResponses("cancel"),
  async handle(ctx: ApiContext, { body: { filter, preview }, caller: { owner, user_id } }) {
    return askBulk(ctx, { user_id, owner, action: "cancel", filter, edits: {} }, preview);
  },
});
