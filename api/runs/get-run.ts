import { notFound } from "../../shared/domain/errors/app-error.ts";
import { runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const getRun = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}",
  name: "get_run",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's record",
  description:
    "Use it for a run's result, its error, or the question that it waits with. `GET /v1/runs/{run_id}/stream` follows it instead.",
  request: { params: runParams },
  responses: { 200: { description: "The run", schema: runRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller }) {
    const body = await readRun(db, params.run_id, caller.owner);
    if (!body) throw notFound("run", params.run_id);
    return { status: 200, body };
  },
});
