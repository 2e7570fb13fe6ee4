import type { Artifact, Message, Part } from "./message.ts";
import type { StreamMessage, Task, TaskStatus } from "./task.ts";
import { isOver } from "./task-state.ts";

/** The objects of A2A 0.3 (a2a-protocol.org, v0.3.0), made of those of 1.0. */

export function legacyTask({ id, contextId, status, artifacts, history, metadata }: Task): object {
  return {
    kind: "task",
    id,
    contextId,
    status: legacyStatus(status),
    ...(history ? { history: history.map(legacyMessage) } : {}),
    ...(artifacts ? { artifacts: artifacts.map(legacyArtifact) } : {}),
    metadata,
  };
}

export function legacyStreamMessage(message: StreamMessage): object {
  if ("task" in message) return legacyTask(message.task);
  if ("statusUpdate" in message) {
    const { taskId, contextId, status, metadata } = message.statusUpdate;
    const final = isOver(status.state) || status.state === "TASK_STATE_INPUT_REQUIRED";
    return { kind: "status-update", taskId, contextId, status: legacyStatus(status), final, metadata };
  }
  const { artifact, append = false, lastChunk = false, ...of } = message.artifactUpdate;
  return { kind: "artifact-update", ...of, artifact: legacyArtifact(artifact), append, lastChunk };
}

const legacyStatus = ({ state, message, timestamp }: TaskStatus): object => ({
  state: state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-"),
  ...(message ? { message: legacyMessage(message) } : {}),
  timestamp,
});

const legacyMessage = ({ role, parts, ...message }: Message): object => ({
  kind: "message",
  ...message,
  role: role === "ROLE_USER" ? "user" : "agent",
  parts: parts.map(legacyPart),
});

const legacyArtifact = ({ parts, ...artifact }: Artifact): object => ({ ...artifact, parts: parts.map(legacyPart) });

function legacyPart(part: Part): object {
  if ("text" in part) return { kind: "text", text: part.text };
  if ("data" in part) return { kind: "data", data: isObject(part.data) ? part.data : { value: part.data } };
  const file = {
    ...(part.filename === undefined ? {} : { name: part.filename }),
    ...(part.mediaType === undefined ? {} : { mimeType: part.mediaType }),
  };
  return { kind: "file", file: "url" in part ? { ...file, uri: part.url } : { ...file, bytes: part.raw } };
}

/** Data parts of 0.3 are objects. */
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
