import { runCountQuery } from "../../shared/schemas/run-filter.ts";
import { runCounts } from "../../shared/schemas/run.ts";
import { countByStatus } from "../../shared/store/runs/read/count-by-status.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const countRuns = defineOperation({
  method: "get",
  path: "/v1/runs/count",
  name: "count_runs",
  area: "Runs",
  scope: "runs:read",
  summary: "How many runs a list has, by status",
  description:
    "Each status is counted to 10,000. A search, and a filter by version, worker, origin, lifecycle, error or duration, looks at the newest 10,000 runs. `more` says where there are more.",
  request: { query: runCountQuery },
  responses: { 200: { description: "A count for each status", schema: runCounts } },
  handle: ({ read }: Pick<ApiContext, "read">, { query, caller }) =>
    read(async (db) => {
      return { status: 200, body: { data: await countByStatus(db, caller.owner, query) } };
    }),
});
