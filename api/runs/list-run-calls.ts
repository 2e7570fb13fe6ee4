import { notFound } from "../../shared/domain/errors/app-error.ts";
import { pageOf, pageQuery } from "../../shared/schemas/primitives.ts";
import { runCall } from "../../shared/schemas/run-call.ts";
import { listCalls } from "../../shared/store/calls/read-calls.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const listRunCalls = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/calls",
  name: "list_run_calls",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's calls to its connections",
  description:
    "Use it to see which services a run has called, with what result, and what each call cost as the service counted it. Calls are listed when they have ended. The list has no bodies; answers that are recorded for later attempts are kept sealed.",
  request: { params: runParams, query: pageQuery },
  responses: { 200: { description: "A page of calls", schema: pageOf(runCall) } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id }, query: { limit, after, order }, caller }) {
    if (!(await readRunHandle(db, run_id, caller.owner))) throw notFound("run", run_id);
    return { status: 200, body: await listCalls(db, run_id, { limit, after, order }) };
  },
});
