import { z } from "zod";
import { deliveryHint } from "../../shared/domain/retry/delivery-hint.ts";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { runCallback } from "../../shared/schemas/run.ts";
import { listTries } from "../../shared/store/outbox/list-tries.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const callbackTry = z.object({
  try: z.number().int(),
  status_code: z.number().int().nullable(),
  error: z.string().nullable(),
  hint: z.string().nullable().meta({ description: "What to do about the error, where that is known." }),
  duration_ms: z.number().int(),
  at: z.string(),
});

export const listRunCallbacks = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/callbacks",
  name: "list_run_callbacks",
  area: "Runs",
  scope: "runs:read",
  summary: "A run's callback and its delivery attempts",
  description:
    "Use it when a callback did not arrive: each try with its status or the class of its fault, and what to do about a blocked one. `…/callbacks/redeliver` sends it again.",
  request: { params: runParams },
  responses: {
    200: {
      description: "The callback (null: the run has none) and its delivery attempts, oldest first",
      schema: z.object({ callback: runCallback.nullable(), data: z.array(callbackTry) }).meta({
        id: "RunCallbacks",
        example: {
          callback: exampleOf(runCallback),
          data: [
            { try: 1, status_code: 204, error: null, hint: null, duration_ms: 41, at: "2026-11-21T10:00:01.200Z" },
          ],
        },
      }),
    },
  },
  async handle({ db }: Pick<ApiContext, "db">, { params, caller }) {
    const run = await readRun(db, params.run_id, caller.owner);
    if (!run) throw notFound("run", params.run_id);
    const tries = await listTries(db, run.id);
    const data = (tries?.log ?? []).map(({ at, ...rest }) => ({
      ...rest,
      hint: deliveryHint(rest.error),
      at: at.toISOString(),
    }));
    return { status: 200, body: { callback: run.callback, data } };
  },
});
