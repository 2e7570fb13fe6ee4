import { askingRun, askingRunQuery } from "../../shared/schemas/interrupt.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listInterruptedRuns } from "../../shared/store/runs/read/list-interrupted-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listInterrupts = defineOperation({
  method: "get",
  path: "/v1/interrupts",
  name: "list_interrupts",
  area: "Runs",
  scope: "runs:read",
  summary: "Questions that wait for a person",
  description:
    "The inbox of open questions: each interrupted run with what its agent asks, the newest run first. Answer one with `POST /v1/runs/{run_id}/resume`. `first_id` and `last_id` of a page are run ids.",
  request: { query: askingRunQuery },
  responses: { 200: { description: "A page of runs that wait for an answer", schema: pageOf(askingRun, "run_id") } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await listInterruptedRuns(db, caller.owner, filter, { limit, after, order }) };
  },
});
