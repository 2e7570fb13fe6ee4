import { notFound } from "../../shared/domain/errors/app-error.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import { readArtifact } from "../../shared/store/artifacts/read-artifacts.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

export const getRunArtifact = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/artifacts/{artifact_id}",
  name: "get_run_artifact",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "Download an artifact of a run",
  description:
    "The file is sent as a download with the type that the agent named. A browser never shows it as a page of this service.",
  request: {
    params: runParams.extend({ artifact_id: clientId().meta({ example: "art_019aa5f0c1d27c3e8f4b2a6d9e0f1a2d" }) }),
  },
  responses: { 200: { description: "The file", content_type: "application/octet-stream" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id, artifact_id }, caller }) {
    const artifact = await readArtifact(db, { run_id, id: artifact_id }, caller.owner);
    if (!artifact?.content) throw notFound("artifact", artifact_id);
    const { name, mime, content, sha256 } = artifact;
    return {
      status: 200,
      // A type that is no valid header value is not used.
      content_type: /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*$/.test(mime) ? mime : "application/octet-stream",
      text: Buffer.from(content),
      headers: {
        "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
        ETag: `"${Buffer.from(sha256).toString("hex")}"`,
      },
    };
  },
});
