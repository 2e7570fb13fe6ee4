import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { runListItem } from "../../shared/schemas/run.ts";
import { listRuns } from "../../shared/store/runs/read/list-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listAllRuns = defineOperation({
  method: "get",
  path: "/v1/admin/runs",
  name: "list_all_runs",
  area: "Admin",
  scope: "admin",
  summary: "All users' runs, newest first",
  description: "The list of runs without the owner's bounds, for operators who look for a run of somebody else.",
  request: { query: runListQuery },
  responses: { 200: { description: "A page of runs", schema: pageOf(runListItem) } },
  handle: ({ read }: Pick<ApiContext, "read">, { query }) =>
    read(async (db) => {
      const { limit, after, order, ...filter } = query;
      return { status: 200, body: await listRuns(db, null, filter, { limit, after, order }) };
    }),
});
