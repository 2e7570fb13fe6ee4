import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { runListItem } from "../../shared/schemas/run.ts";
import { listRuns as readPage } from "../../shared/store/runs/read/list-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listRuns = defineOperation({
  method: "get",
  path: "/v1/runs",
  name: "list_runs",
  area: "Runs",
  scope: "runs:read",
  summary: "Runs, newest first",
  description:
    "Use the filters to find runs: the failed ones of an agent, those of a thread, those with a text in them.",
  request: { query: runListQuery },
  responses: { 200: { description: "A page of runs", schema: pageOf(runListItem) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
