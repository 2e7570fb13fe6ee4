import { z } from "zod";
import { notFound } from "../../shared/errors.ts";
import { listArtifacts } from "../../shared/store/artifacts/read-artifacts.ts";
import { readRunHandle } from "../../shared/store/runs/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const artifact = z
  .object({
    id: z.string(),
    object: z.literal("artifact"),
    attempt: z.number().int(),
    name: z.string(),
    mime: z.string(),
    size: z.number().int(),
    sha256: z.string(),
    url: z.string(),
    created_at: z.string(),
  })
  .meta({ id: "Artifact" });

export const listRunArtifacts = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/artifacts",
  name: "list_run_artifacts",
  area: "Runs",
  scope: "runs:read",
  summary: "The files that a run handed out",
  request: { params: runParams },
  responses: {
    200: {
      description: "All of them, in the order in which they were handed out",
      schema: z.object({ data: z.array(artifact) }).meta({ id: "RunArtifacts" }),
    },
  },
  async handle({ db }: ApiContext, { params: { run_id }, caller }) {
    if (!(await readRunHandle(db, run_id, caller.owner))) throw notFound("run", run_id);
    const data = (await listArtifacts(db, run_id)).map(({ id, attempt, name, mime, size, sha256, created_at }) => ({
      id,
      object: "artifact" as const,
      attempt,
      name,
      mime,
      size: Number(size),
      sha256: Buffer.from(sha256).toString("hex"),
      url: `/v1/runs/${run_id}/artifacts/${id}`,
      created_at: created_at.toISOString(),
    }));
    return { status: 200, body: { data } };
  },
});
