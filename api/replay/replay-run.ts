import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { replayBody } from "../../shared/schemas/replay.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import { hashJson } from "../../shared/platform/hash-json.ts";
import { idempotencyHeader, repeatKeyOf } from "../http/idempotency-header.ts";
import { defineOperation } from "../http/define-operation.ts";
import { type AcceptDeps, acceptErrors } from "../../shared/services/runs/accept-run.ts";
import { runAgain } from "../../shared/services/runs/run-again.ts";

const nothing = { env_vars: {}, files: {}, state_snapshot: "" };

export const replayRun = defineOperation({
  method: "post",
  path: "/v1/runs/{run_id}/replay",
  name: "replay_run",
  area: "Runs",
  scope: "runs:write",
  idempotent: true,
  audit: "run",
  summary: "Run the request of a run again, with edits",
  description:
    "The new run has the version and the input of the old one, unless others are given. It is outside the thread and has no callback, unless one is given. env_vars and files were deleted when the run ended, so send them again; a missing one is a 409.",
  request: {
    params: z.object({ run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }) }),
    headers: z.object(idempotencyHeader),
    body: replayBody.default(nothing),
  },
  errors: ["run_not_found", "replay_incomplete", ...acceptErrors],
  responses: {
    202: {
      description: "The new run",
      schema: runRecord,
      example: { ...queuedExample, origin: "replay", replay_of: "run_0199c0ffee" },
    },
  },
  async handle(ctx: AcceptDeps, { params: { run_id }, headers, body: edits, caller, traceparent }) {
    const id = await runAgain(ctx, run_id, edits, {
      owner: caller.owner,
      actor: caller.actor,
      traceparent: traceparent ?? null,
      // The answer is stored after the commit, and may be lost before.
      key: repeatKeyOf(caller, "replay", headers["idempotency-key"]),
      key_hash: hashJson({ run_id, edits }),
    });
    const body = await readRun(ctx.db, id, caller.owner);
    if (!body) throw notFound("run", id);
    return { status: 202, body, headers: { Location: `/v1/runs/${id}` } };
  },
});
