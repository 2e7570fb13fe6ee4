import { notFound } from "../../shared/domain/errors/app-error.ts";
import { laxBool, pageOf, pageQuery, text } from "../../shared/schemas/primitives.ts";
import { runInput } from "../../shared/schemas/run-input.ts";
import { listInputs } from "../../shared/store/inputs/list-inputs.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listRunInputs = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/inputs",
  name: "list_run_inputs",
  area: "Runs",
  scope: "runs:read",
  summary: "What was said to a run",
  description: "Signals and messages, with whether the agent's code has taken them. Their payloads aren't shown.",
  request: {
    params: z.object({ run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }) }),
    query: pageQuery.extend({
      untaken: laxBool().optional().meta({ description: "true: only what nothing has taken. false: the others." }),
    }),
  },
  responses: { 200: { description: "A page", schema: pageOf(runInput) } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id }, query, caller }) {
    if (!(await readRunHandle(db, run_id, caller.owner))) throw notFound("run", run_id);
    const { untaken, ...page } = query;
    return { status: 200, body: await listInputs(db, run_id, { untaken }, page) };
  },
});
