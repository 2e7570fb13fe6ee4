import { notFound } from "../../shared/domain/errors/app-error.ts";
import { runPatch, runRecord } from "../../shared/schemas/run.ts";
import { patchMetadata } from "../../shared/store/runs/patch-metadata.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const updateRun = defineOperation({
  method: "patch",
  path: "/v1/runs/{run_id}",
  name: "update_run",
  area: "Runs",
  scope: "runs:write",
  audit: "run",
  summary: "Change a run's metadata",
  description:
    "The body is a merge patch (RFC 7396): use it for notes and labels, also of a run that has ended. Lists find the run by its new metadata.",
  request: { params: runParams, body: runPatch },
  responses: { 200: { description: "The run", schema: runRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id }, body: { metadata }, caller }) {
    const body = (await patchMetadata(db, run_id, caller.owner, metadata))
      ? await readRun(db, run_id, caller.owner)
      : null;
    if (!body) throw notFound("run", run_id);
    return { status: 200, body };
  },
});
