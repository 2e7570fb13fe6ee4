import { type Ending, endRun } from "../../shared/services/runs/end-run.ts";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { isTerminal } from "../../shared/domain/run/run-status.ts";
import { type CompletedStatus, type Completion, completedStatus, completion } from "../../shared/schemas/completion.ts";
import { completedRun } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const completeRun = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/complete",
  name: "complete_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  ignores: "unknown_fields",
  summary: "End a run from outside",
  description:
    "Finalizes a run that has not ended (queued, scheduled, running, interrupted or suspended) with the given status: stops its process, ends its stream and sends its callback. Repeating the same status changes nothing. Another status for an ended run is a 409.",
  request: { params: runParams, body: completion },
  errors: ["run_already_ended"],
  responses: { 200: { description: "The run", schema: completedRun } },
  async handle(ctx: Pick<ApiContext, "db" | "streams" | "queue">, { params, body, caller }) {
    const already_completed = await complete(ctx, params.run_id, caller, body);
    const record = await readRun(ctx.db, params.run_id, caller.owner);
    if (!record) throw notFound("run", params.run_id);
    return { status: 200, body: { ...record, completed: true, already_completed } };
  },
});

/** Returns true when the run had ended with this status before. */
async function complete(
  ctx: Pick<ApiContext, "db" | "streams" | "queue">,
  run_id: string,
  { owner, actor }: Caller,
  { status: word, result_content, duration_ms }: Completion,
): Promise<boolean> {
  const status = completedStatus(word);
  const outcome = outcomeOf(status, result_content ?? null);
  for (;;) {
    const run = await readRunHandle(ctx.db, run_id, owner);
    if (!run) throw notFound("run", run_id);
    if (isTerminal(run.status)) {
      if (run.status === status) return true;
      throw conflict("run_already_ended", `The run has ended with the status '${run.status}', which can't be changed.`);
    }
    const ending = {
      cause: "complete",
      outcome,
      reason: "completed",
      duration_ms: duration_ms ?? null,
      by: actor,
    } as const;
    if (await endRun(ctx, run, ending)) return false;
  }
}

function outcomeOf(status: CompletedStatus, result_content: unknown): Ending["outcome"] {
  const failed = status === "error" || status === "timeout";
  const error = failed
    ? {
        code: `completed_${status}`,
        type: null,
        message: `The run was completed from outside as '${status}'.`,
        traceback: null,
      }
    : null;
  return { status, result_content, error, state_snapshot: null };
}
