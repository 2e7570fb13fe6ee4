import { beforeFirst, compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../../shared/domain/run/run-status.ts";
import type { OpenInterrupt, RunEvent } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../encode-sse.ts";
import { failureOf, eventFields } from "./event-facts.ts";
import { dispatch, type EventOf, type Machine, onFailure, type Projection } from "./projection.ts";
import { spokenResult, spokenText } from "./speech.ts";
import { startTextPart } from "./text-part.ts";

export const uiMessageHeaders = { "x-vercel-ai-ui-message-stream": "v1" };

/**
 * The AI SDK's UI message stream, version 1 (ai-sdk.dev, "Stream Protocols"). A run is one message, an attempt is a step of it,
 * and a tool that the agent used is a dynamic tool. An event that the format has no part for becomes a data part with the
 * event's name, and is transient when only its latest value matters. A sent part can't be withdrawn: parts before the last
 * `data-restart` are void.
 */
export const aiSdkProjection: Projection = {
  headers: uiMessageHeaders,
  plain: false,
  start: () => startAiSdk({ cursor: beforeFirst, questions: dataQuestions }),
};

/** How a format shows what a person is asked, and how the run goes on with the answer. */
export type Questions = {
  ask(interrupts: OpenInterrupt[]): object[];
  /** Called for the first event after a question. */
  answered(): object[];
  /** The parts that close the message of a run that waits. */
  close: object;
};

const dataQuestions: Questions = {
  ask: (interrupts) => interrupts.map((interrupt) => data("interrupt", interrupt, { id: interrupt.id })),
  answered: () => [],
  close: { type: "finish" },
};

/** The message begins after `cursor`. */
export function startAiSdk({ cursor, questions }: { cursor: EventId; questions: Questions }): Machine {
  const translate = startParts(questions);
  let begun = false;
  let finished = false;
  return {
    push(event) {
      const { run_id } = event;
      const begins = !begun && compareEventIds(event, cursor) > 0;
      const start = begins ? [{ type: "start", messageId: run_id, messageMetadata: { run_id } }] : [];
      begun ||= begins;
      finished = isTerminalEvent(event.type);
      return [...start, ...translate(event)].map((part) => encodeMessage(part));
    },
    end: () => [...(finished ? [] : [encodeMessage(questions.close)]), "data: [DONE]\n\n"],
  };
}

function startParts(questions: Questions): (event: RunEvent) => object[] {
  const text = startTextPart(textParts, (count) => `text-${count}`);
  const tools = startTools();
  let inStep = false;
  let isAsked = false;

  function endStep(): object[] {
    const end = inStep ? [{ type: "finish-step" }] : [];
    inStep = false;
    return [...text.reset(), ...end];
  }
  const handlers = {
    "run.queued": () => [],
    "run.started": ({ attempt, discards }: EventOf<"run.started">) => {
      const before = [...endStep(), ...(discards ? [data("restart", { attempt, discards })] : [])];
      inStep = true;
      return [...before, { type: "start-step" }];
    },
    "output.delta": ({ content }: EventOf<"output.delta">) => {
      const spoken = spokenText(content);
      return spoken === null ? [data("output", content)] : text.say(spoken);
    },
    "tool.start": (event: EventOf<"tool.start">) => [...text.close(), tools.start(event)],
    "tool.end": (event: EventOf<"tool.end">) => [tools.end(event)],
    artifact: (event: EventOf<"artifact">) => [data("artifact", eventFields(event), { id: event.url })],
    progress: ({ value, message }: EventOf<"progress">) => [data("progress", { value, message }, { id: "progress" })],
    custom: ({ name, value }: EventOf<"custom">) => [data("custom", { name, value })],
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) => {
      isAsked = true;
      return [...text.close(), ...questions.ask(interrupts), ...endStep()];
    },
    "run.success": (event: EventOf<"run.success">) => [
      ...text.sayInstead(spokenResult(event.result_content)),
      ...endStep(),
      { type: "finish", finishReason: "stop", messageMetadata: eventFields(event) },
    ],
    ...onFailure((event) => [
      ...endStep(),
      { type: "message-metadata", messageMetadata: eventFields(event) },
      event.type === "run.cancelled" ? { type: "abort" } : { type: "error", errorText: failureOf(event).message },
    ]),
  };
  return (event) => {
    const answered = isAsked ? questions.answered() : [];
    isAsked = false;
    return [...answered, ...dispatch(handlers, event, () => [pass(event)])];
  };
}

const textParts = {
  open: (id: string) => ({ type: "text-start", id }),
  delta: (id: string, delta: string) => ({ type: "text-delta", id, delta }),
  close: (id: string) => ({ type: "text-end", id }),
};

function startTools() {
  const calls = new Set<string>();
  /** The client neither knows this tool nor executes it. */
  const ofAgent = { dynamic: true, providerExecuted: true };
  return {
    start({ call_id, name, args }: EventOf<"tool.start">): object {
      calls.add(call_id);
      return { type: "tool-input-available", toolCallId: call_id, toolName: name, input: args ?? {}, ...ofAgent };
    },
    end(event: EventOf<"tool.end">): object {
      const { call_id, result, error } = event;
      // The client rejects a result whose call it does not know.
      if (!calls.has(call_id)) return pass(event);
      return error === null
        ? { type: "tool-output-available", toolCallId: call_id, output: result ?? null, ...ofAgent }
        : { type: "tool-output-error", toolCallId: call_id, errorText: error, ...ofAgent };
    },
  };
}

const data = (name: string, value: unknown, more: object = {}): object => ({
  type: `data-${name}`,
  data: value,
  ...more,
});

/** A transient part: the client sees it once, and does not store it in the message. */
const pass = (event: RunEvent): object => data(event.type.replace(".", "-"), eventFields(event), { transient: true });
