import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { runTransition } from "../../shared/schemas/run-history.ts";
import { listTransitions } from "../../shared/store/runs/read/list-transitions.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const listRunTimeline = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/timeline",
  name: "list_run_timeline",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's status changes, with actor and reason",
  description:
    "Use it to see where a run's time went, which attempts were lost, and who cancelled, completed or resumed it (`actor_id`).",
  request: { params: runParams },
  responses: {
    200: {
      description: "The status changes, oldest first",
      schema: z
        .object({ data: z.array(runTransition) })
        .meta({ id: "RunTimeline", example: { data: [exampleOf(runTransition)] } }),
    },
  },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id }, caller }) {
    if (!(await readRunHandle(db, run_id, caller.owner))) throw notFound("run", run_id);
    return { status: 200, body: { data: await listTransitions(db, run_id) } };
  },
});
