import { createHash } from "node:crypto";
import { newId } from "../../shared/platform/ids.ts";
import { runLimits } from "../../shared/domain/run/run-limits.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import { storeArtifact } from "../../shared/store/artifacts/store-artifact.ts";
import type { Db } from "../../shared/store/client.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";
import { guessMime } from "./guess-mime.ts";
import type { AbortReason } from "../lease/abort-reason.ts";

export type ArtifactFrame = Extract<AgentFrame, { type: "artifact" }>;

/** The event for a stored file, or why the run must stop. */
export type StoredArtifact = { event: RunEventBody } | { broken: AbortReason };

/** Stores an attempt's files. Each is stored before its event is published, so that the event's URL answers. */
export function createArtifactStore(db: Db, run: HeldRun): (frame: ArtifactFrame) => Promise<StoredArtifact> {
  let index = 0;
  let bytes = 0;
  return async ({ name, mime: given, content: encoded }) => {
    const content = Buffer.from(encoded, "base64");
    bytes += content.length;
    if (content.length > runLimits.artifact_bytes || bytes > runLimits.artifacts_bytes)
      return { broken: "artifact_limit" };
    index += 1;
    const id = newId("art");
    const mime = given ?? guessMime(name);
    const sha256 = createHash("sha256").update(content).digest();
    if (!(await storeArtifact(db, run, { id, place: index, name, mime, content, sha256 }))) return { broken: "fenced" };
    const url = `/v1/runs/${run.id}/artifacts/${id}`;
    return { event: { type: "artifact", name, mime, size: content.length, sha256: sha256.toString("hex"), url } };
  };
}
