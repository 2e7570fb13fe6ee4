import { bulkReplayBody } from "../../shared/schemas/bulk.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { requestBulkOperation, bulkResponses } from "./request-bulk-operation.ts";

export const bulkReplayRuns = defineOperation({
  method: "post",
  path: "/v1/runs/bulk/replay",
  name: "bulk_replay_runs",
  area: "Runs",
  scope: "runs:write",
  idempotent: true,
  audit: { target: "bulk", detail: ({ body: { preview } }, { total }) => (preview ? null : { total }) },
  summary: "Run all runs that match a filter again, with edits",
  description:
    "Runs each matching run that has ended again once, in the background. A run that had env_vars or files can not be run again this way and counts as failed. While the queue or the plan has no room, or no worker lives, the operation waits, for 23 hours from its request at most. With `preview` the runs are only counted, and the newest ten are shown.",
  request: { body: bulkReplayBody },
  errors: ["too_many_bulk_operations"],
  responses: bulkResponses("replay"),
  async handle(
    { db }: Pick<ApiContext, "db">,
    { body: { filter, run_ids, preview, ...edits }, caller: { owner, user_id, actor } },
  ) {
    return requestBulkOperation(
      db,
      { user_id, owner, actor, action: "replay", filter: { ...filter, run_ids }, edits },
      preview,
    );
  },
});
