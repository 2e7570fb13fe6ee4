import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { runRecord } from "../../shared/schemas/run.ts";
import { redeliver } from "../../shared/store/outbox/redeliver.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const redeliverRunCallback = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/callbacks/redeliver",
  name: "redeliver_run_callback",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Send a run's callback again",
  description:
    "The callback is sent with the same webhook-id. A run without a callback, or one that has not ended, is a 409.",
  request: { params: runParams },
  errors: ["no_callback"],
  responses: { 202: { description: "The delivery is due now", schema: runRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller }) {
    if (!(await readRun(db, params.run_id, caller.owner))) throw notFound("run", params.run_id);
    if (!(await redeliver(db, params.run_id)))
      throw conflict(
        "no_callback",
        "The run has no callback, or has not ended yet. Only an ended run with a completion_callback_url has one.",
      );
    const body = await readRun(db, params.run_id, caller.owner);
    if (!body) throw notFound("run", params.run_id);
    return { status: 202, body };
  },
});
