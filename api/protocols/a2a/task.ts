import type { Artifact, Message } from "./message.ts";
import type { TaskState } from "./task-state.ts";

/** A task and its stream, as A2A 1.0 has them in JSON. */

export type TaskStatus = { state: TaskState; message?: Message; timestamp: string };

export type Task = {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata: Record<string, unknown>;
};

type Of = { taskId: string; contextId: string };

/** One message of a task's stream. */
export type StreamMessage =
  | { task: Task }
  | { statusUpdate: Of & { status: TaskStatus; metadata: Record<string, unknown> } }
  | { artifactUpdate: Of & { artifact: Artifact; append?: true; lastChunk?: true } };
