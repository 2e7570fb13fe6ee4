import { parseJsonText } from "../../../shared/domain/json/parse-json-text.ts";
import type { OpenInterrupt, RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../encode-sse.ts";
import { failureOf, tokensOf, eventFields } from "./event-facts.ts";
import { dispatch, type EventOf, type Machine, onFailure, type Projection } from "./projection.ts";
import { spokenResult, spokenText } from "./speech.ts";
import { startTextPart } from "./text-part.ts";

/**
 * AG-UI's events, protocol 1 (docs.ag-ui.com, "Events"). A run is a run, and an attempt is a step of it. A run that waits for an
 * answer is finished with the outcome `interrupt` and started again after the answer. An event that the protocol does not have
 * becomes a CUSTOM event with our event's name. A sent message can't be withdrawn: messages before the last CUSTOM
 * `run.restarted` are void.
 */
export const agUiProjection: Projection = { headers: {}, plain: false, start: () => startAgUi(null) };

/** What the client calls its thread and its run. A run that goes on with an answer has another id there. */
export type AgUiIds = { threadId: string; runId: string };

/** Null: the ids are those of the run. */
export function startAgUi(ids: AgUiIds | null): Machine {
  const translate = startEvents(ids);
  return { push: (event) => translate(event).map((message) => encodeMessage(message)), end: () => [] };
}

function startEvents(given: AgUiIds | null): (event: RunEvent) => object[] {
  const brackets = startBrackets(given);
  const { text } = brackets;
  const handlers = {
    "run.queued": () => [],
    "run.started": ({ attempt, discards }: EventOf<"run.started">) => [
      ...brackets.endStep(),
      ...(discards ? [custom("run.restarted", { attempt, discards })] : []),
      brackets.startStep(`attempt ${attempt}`),
    ],
    "output.delta": ({ content }: EventOf<"output.delta">) => {
      const spoken = spokenText(content);
      return spoken === null ? [custom("output", content)] : text.say(spoken);
    },
    "tool.start": (event: EventOf<"tool.start">) => [...text.close(), ...callOf(event)],
    "tool.end": resultOf,
    state: ({ state_snapshot }: EventOf<"state">) => [
      { type: "STATE_SNAPSHOT", snapshot: parseOrText(state_snapshot) },
    ],
    custom: ({ name, value }: EventOf<"custom">) => [custom(name, value)],
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) =>
      brackets.finish({ outcome: { type: "interrupt", interrupts: interrupts.map(asInterrupt) } }),
    "run.success": ({ result_content, usage }: EventOf<"run.success">) => [
      ...text.sayInstead(spokenResult(result_content)),
      ...brackets.finish({
        outcome: { type: "success" },
        ...(result_content === null ? {} : { result: result_content }),
        ...usageOf(usage),
      }),
    ],
    ...onFailure((event) => {
      const { code, message } = failureOf(event);
      return event.type === "run.cancelled"
        ? brackets.finish({ outcome: { type: "cancelled" } })
        : brackets.fail({ code, message });
    }),
  };
  return (event) => [
    ...brackets.startRun(event),
    ...dispatch<object[]>(handlers, event, () => [custom(event.type, eventFields(event))]),
  ];
}

/** Opens and closes the run, its steps and their texts. An inner one is closed before an outer one. */
function startBrackets(given: AgUiIds | null) {
  let ids = given;
  let run_id = "";
  let running = false;
  let stepName: string | null = null;
  const messages = {
    open: (messageId: string) => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }),
    delta: (messageId: string, delta: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta }),
    close: (messageId: string) => ({ type: "TEXT_MESSAGE_END", messageId }),
  };
  const text = startTextPart(messages, (count) => `${run_id}-text-${count}`);

  function endStep(): object[] {
    const end = stepName === null ? [] : [{ type: "STEP_FINISHED", stepName }];
    stepName = null;
    return [...text.reset(), ...end];
  }
  function end(last: object): object[] {
    running = false;
    return [...endStep(), last];
  }
  return {
    text,
    endStep,
    startRun(event: RunEvent): object[] {
      ({ run_id } = event);
      // A run without a thread is its own thread.
      ids ??= { threadId: (event.type === "run.queued" && event.thread_id) || event.run_id, runId: event.run_id };
      if (running) return [];
      running = true;
      return [{ type: "RUN_STARTED", ...ids }];
    },
    startStep(name: string): object {
      stepName = name;
      return { type: "STEP_STARTED", stepName };
    },
    finish: (more: object): object[] => end({ type: "RUN_FINISHED", ...ids, ...more }),
    fail: (fault: object): object[] => end({ type: "RUN_ERROR", ...fault }),
  };
}

const custom = (name: string, value: unknown): object => ({ type: "CUSTOM", name, value: value ?? null });

const callOf = ({ call_id: toolCallId, name, args }: EventOf<"tool.start">): object[] => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName: name },
  { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args ?? {}) },
  { type: "TOOL_CALL_END", toolCallId },
];

function resultOf({ call_id: toolCallId, result, error }: EventOf<"tool.end">): object[] {
  const content = error ?? spokenText(result) ?? JSON.stringify(result ?? null);
  return [{ type: "TOOL_CALL_RESULT", messageId: `${toolCallId}-result`, toolCallId, content, role: "tool" }];
}

/** This protocol tells an absent field from null. */
const asInterrupt = ({ id, reason, message, response_schema, expires_at }: OpenInterrupt): object => ({
  id,
  reason,
  ...(message === null ? {} : { message }),
  ...(response_schema === null ? {} : { responseSchema: response_schema }),
  expiresAt: expires_at,
});

function usageOf(usage: Usage | null): object {
  const tokens = tokensOf(usage);
  return tokens === null ? {} : { usage: [{ inputTokens: tokens.input, outputTokens: tokens.output }] };
}

/** Returns the state as a JSON value if it is JSON, else as text. Our states are opaque text; this protocol's are JSON. */
function parseOrText(text: string): unknown {
  const value = parseJsonText(text);
  return value === undefined ? text : value;
}
