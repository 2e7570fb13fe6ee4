import { bulkReplayBody } from "../../shared/schemas/bulk.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { askBulk, bulkResponses } from "./ask-bulk.ts";

export const bulkReplayRuns = defineOperation({
  method: "post",
  path: "/v1/runs/bulk/replay",
  name: "bulk_replay_runs",
  area: "Runs",
  scope: "runs:write",
  idempotent: true,
  audit: "bulk",
  summary: "Replay all runs that a filter names, with edits",
  description:
    "Those that have ended, in the background, each once. One that had env_vars or files can not be replayed so, and counts as failed. With `preview` it only counts them.",
  request: { body: bulkReplayBody },
  responses: bulkResponses("replay"),
  async handle(ctx: ApiContext, { body: { filter, preview, ...edits }, caller: { owner, user_id } }) {
    return askBulk(ctx, { user_id, owner, action: "replay", filter, edits }, preview);
  },
});
