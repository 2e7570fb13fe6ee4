import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { listArtifacts } from "../../shared/store/artifacts/read-artifacts.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
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
  .meta({
    id: "Artifact",
    example: {
      id: "art_019aa5f0c1d27c3e8f4b2a6d9e0f1a2d",
      object: "artifact",
      attempt: 1,
      name: "report.csv",
      mime: "text/csv",
      size: 5,
      sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      url: "/v1/runs/run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c/artifacts/art_019aa5f0c1d27c3e8f4b2a6d9e0f1a2d",
      created_at: "2026-11-21T10:00:00.000Z",
    },
  });

export const listRunArtifacts = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/artifacts",
  name: "list_run_artifacts",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A run's artifacts",
  description: "The files that the agent handed out. The `url` of each downloads it.",
  request: { params: runParams },
  responses: {
    200: {
      description: "All artifacts, in the order in which the agent sent them",
      schema: z
        .object({ data: z.array(artifact) })
        .meta({ id: "RunArtifacts", example: { data: [exampleOf(artifact)] } }),
    },
  },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id }, caller }) {
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
