import type { OpenInterrupt, RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import { failureOf } from "../../stream/projections/event-facts.ts";
import { dispatch, type EventOf, onFailure } from "../../stream/projections/projection.ts";
import { restateStanding } from "../../stream/projections/skip-repeats.ts";
import { spokenResult, spokenText } from "../../stream/projections/speech.ts";
import { type Artifact, dataPart, type Message, type Part, partOf, textPart } from "./message.ts";
import type { StreamMessage, Task } from "./task.ts";
import { type TaskState, taskStateOf } from "./task-state.ts";

type Opening = {
  taskId: string;
  contextId: string;
  /** What the user said, as far as it is known: the input, then the answers by the id of their interrupt. */
  said: { input: Message | null; answers: ReadonlyMap<string, Message> };
  /** Before the paths of the service's own URLs. */
  base: string;
};

export type TaskTranslation = {
  /** Returns the task after the events so far. */
  task(): Task;
  /** Returns what an event tells a reader of the stream. */
  push(event: RunEvent): StreamMessage[];
  /** Adds the user's answer to the open question to the history. */
  answer(message: Message): void;
};

/**
 * Translates a run's events into a task and its stream. The output is one artifact in chunks. An attempt that discards the one
 * before begins the artifact again: its first chunk does not append.
 */
export function translateRun({ taskId, contextId, said, base }: Opening): TaskTranslation {
  const of = { taskId, contextId };
  const history: Message[] = said.input ? [said.input] : [];
  const output = startOutput();
  /** By their id. */
  const others = new Map<string, Artifact>();
  let open: OpenInterrupt[] = [];
  let status: Task["status"] = { state: taskStateOf.queued, timestamp: "" };

  const fromAgent = (messageId: string, parts: Part[], metadata?: Record<string, unknown>): Message => ({
    messageId,
    ...of,
    role: "ROLE_AGENT",
    parts,
    ...(metadata ? { metadata } : {}),
  });
  const update = (metadata: Record<string, unknown> = {}): StreamMessage => ({
    statusUpdate: { ...of, status, metadata },
  });
  function move({ ts }: RunEvent, state: TaskState, message: Message | null, metadata?: Record<string, unknown>) {
    status = { state, ...(message ? { message } : {}), timestamp: ts };
    if (message) history.push(message);
    return update(metadata);
  }
  const chunk = (artifact: Artifact, more: { append?: true; lastChunk?: true }): StreamMessage => ({
    artifactUpdate: { ...of, artifact, ...more },
  });
  const say = (part: Part): StreamMessage => {
    const append = output.add(part);
    return chunk(outputArtifact([part]), append ? { append } : {});
  };
  function add(artifact: Artifact): StreamMessage {
    others.set(artifact.artifactId, artifact);
    return chunk(artifact, { lastChunk: true });
  }
  /** The agent still works; `metadata` says at what. */
  const note = (metadata: Record<string, unknown>): StreamMessage[] => [update(metadata)];

  const handlers = {
    "run.queued": ({ ts }: EventOf<"run.queued">) => {
      status = { state: taskStateOf.queued, timestamp: ts };
      return [];
    },
    "run.started": (event: EventOf<"run.started">) => {
      for (const { id } of open) {
        const answer = said.answers.get(id);
        if (answer) history.push(answer);
      }
      open = [];
      if (event.discards) output.discard();
      return [move(event, taskStateOf.running, null)];
    },
    "output.delta": ({ content }: EventOf<"output.delta">) => {
      const spoken = spokenText(content);
      return spoken === "" ? [] : [say(spoken === null ? dataPart(content) : textPart(spoken))];
    },
    progress: ({ value, message }: EventOf<"progress">) => note({ progress: { value, message } }),
    "tool.start": ({ call_id, name, args }: EventOf<"tool.start">) => note({ "tool.start": { call_id, name, args } }),
    "tool.end": ({ call_id, result, error }: EventOf<"tool.end">) => note({ "tool.end": { call_id, result, error } }),
    custom: ({ name, value }: EventOf<"custom">) => note({ custom: { name, value } }),
    artifact: ({ name, mime, url }: EventOf<"artifact">) => [
      add({ artifactId: `file-${name}`, name, parts: [{ url: base + url, filename: name, mediaType: mime }] }),
    ],
    "run.interrupted": (event: EventOf<"run.interrupted">) => {
      open = event.interrupts;
      const [first] = open;
      const text = open.map(({ message, reason }) => message ?? reason).join("\n");
      const question = fromAgent(first?.id ?? taskId, [textPart(text)], { interrupts: open });
      return [move(event, taskStateOf.interrupted, question)];
    },
    "run.success": (event: EventOf<"run.success">) => [
      ...concludeOutput(event.result_content),
      move(event, taskStateOf.success, null, usageOf(event.usage)),
    ],
    ...onFailure((event) => {
      if (event.type === "run.cancelled") return [move(event, taskStateOf.cancelled, null, usageOf(event.usage))];
      const { code, message } = failureOf(event);
      const told = fromAgent(`${taskId}-${event.status}`, [textPart(message)], { code });
      return [move(event, taskStateOf[event.status], told, usageOf(event.usage))];
    }),
  };

  /** A result that is text is only told when there was no output; any other result is an artifact of its own. */
  function concludeOutput(result: unknown): StreamMessage[] {
    const text = spokenResult(result);
    const isData = result !== null && text === null;
    const instead = !output.has() && text !== null && text !== "" ? textPart(text) : null;
    const conclusion: StreamMessage[] = [];
    if (instead || output.isSent()) {
      // The last chunk of the output is only known now. It is empty.
      const append = output.add(instead ?? textPart(""));
      conclusion.push(
        chunk(outputArtifact([instead ?? textPart("")]), { ...(append ? { append } : {}), lastChunk: true }),
      );
    }
    if (isData) conclusion.push(add({ artifactId: "result", name: "result", parts: [partOf(result)] }));
    return conclusion;
  }

  return {
    push: restateStanding((event) => dispatch(handlers, event, () => [])),
    answer(message) {
      history.push(message);
      open = [];
    },
    task() {
      const artifacts = [...(output.has() ? [outputArtifact(output.parts())] : []), ...others.values()];
      return {
        id: taskId,
        contextId,
        status,
        ...(artifacts.length > 0 ? { artifacts } : {}),
        history: [...history],
        metadata: {},
      };
    },
  };
}

const outputArtifact = (parts: Part[]): Artifact => ({ artifactId: "output", name: "output", parts });

/** What the current attempt has said. */
function startOutput() {
  let parts: Part[] = [];
  let sent = false;
  let isVoid = false;
  return {
    /** Returns true when the part continues what was sent. */
    add(part: Part): true | null {
      const continues = sent && !isVoid;
      if (!continues) parts = [];
      sent = true;
      isVoid = false;
      const last = parts.at(-1);
      if (last && "text" in last && "text" in part) parts[parts.length - 1] = textPart(last.text + part.text);
      else parts.push(part);
      return continues || null;
    },
    discard(): void {
      isVoid = true;
      parts = [];
    },
    has: () => parts.length > 0,
    /** True when a reader of the stream has a chunk. */
    isSent: () => sent,
    parts: () => [...parts],
  };
}

const usageOf = (usage: Usage | null): Record<string, unknown> => (usage === null ? {} : { usage });
