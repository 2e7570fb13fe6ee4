import type { OpenInterrupt, RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../encode-sse.ts";
import { dispatch, type EventOf, failureOf, onFailure, type Projection, withoutPlace } from "./projection.ts";
import { spokenResult, spokenText } from "./speech.ts";
import { startTextPart } from "./text-part.ts";

/**
 * AG-UI's events, protocol 1 (docs.ag-ui.com, "Events"): a run is a run, an attempt is a step of it. A run that waits for a
 * person is finished with the outcome `interrupt`, and started again when it goes on. What the protocol has no event for is
 * a CUSTOM one of our event's name. A message can't be taken back: those before the last CUSTOM `run.restarted` are void.
 */
export const agUiProjection: Projection = {
  headers: {},
  plain: false,
  start() {
    const translate = startEvents();
    return { push: (event) => translate(event).map((message) => encodeMessage(message)), end: () => [] };
  },
};

function startEvents(): (event: RunEvent) => object[] {
  let ids = { threadId: "", runId: "" };
  let running = false;
  let stepName: string | null = null;
  const words = {
    open: (messageId: string) => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }),
    delta: (messageId: string, delta: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta }),
    close: (messageId: string) => ({ type: "TEXT_MESSAGE_END", messageId }),
  };
  const text = startTextPart(words, (count) => `${ids.runId}-text-${count}`);

  function begin({ run_id, ...event }: RunEvent): object[] {
    if (running) return [];
    running = true;
    if (event.type === "run.queued") ids = { threadId: event.thread_id ?? run_id, runId: run_id };
    if (ids.runId === "") ids = { threadId: run_id, runId: run_id };
    return [{ type: "RUN_STARTED", ...ids }];
  }
  function endStep(): object[] {
    const end = stepName === null ? [] : [{ type: "STEP_FINISHED", stepName }];
    stepName = null;
    return [...text.reset(), ...end];
  }
  function finish(last: object): object[] {
    const before = endStep();
    running = false;
    return [...before, last];
  }
  const handlers = {
    "run.queued": () => [],
    "run.started": ({ attempt, discards }: EventOf<"run.started">) => {
      const before = endStep();
      stepName = `attempt ${attempt}`;
      return [
        ...before,
        ...(discards ? [custom("run.restarted", { attempt, discards })] : []),
        { type: "STEP_STARTED", stepName },
      ];
    },
    "output.delta": (event: EventOf<"output.delta">) => {
      const spoken = spokenText(event.content);
      return spoken === null ? [custom("output", event.content)] : text.say(spoken);
    },
    "tool.start": (event: EventOf<"tool.start">) => [...text.close(), ...callOf(event)],
    "tool.end": resultOf,
    state: ({ state_snapshot }: EventOf<"state">) => [
      { type: "STATE_SNAPSHOT", snapshot: parseOrKeep(state_snapshot) },
    ],
    custom: ({ name, value }: EventOf<"custom">) => [custom(name, value)],
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) =>
      finish({ type: "RUN_FINISHED", ...ids, outcome: { type: "interrupt", interrupts: interrupts.map(asInterrupt) } }),
    "run.success": ({ result_content, usage }: EventOf<"run.success">) => [
      ...text.sayInstead(spokenResult(result_content)),
      ...finish({
        type: "RUN_FINISHED",
        ...ids,
        outcome: { type: "success" },
        ...(result_content === null ? {} : { result: result_content }),
        ...(usage?.input_tokens === undefined && usage?.output_tokens === undefined ? {} : { usage: [tokens(usage)] }),
      }),
    ],
    ...onFailure((event) => {
      const { code, message } = failureOf(event);
      return event.type === "run.cancelled"
        ? finish({ type: "RUN_FINISHED", ...ids, outcome: { type: "cancelled" } })
        : finish({ type: "RUN_ERROR", code, message });
    }),
  };
  return (event) => [
    ...begin(event),
    ...dispatch<object[]>(handlers, event, () => [custom(event.type, withoutPlace(event))]),
  ];
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

/** Absent and null are two things to this protocol. */
const asInterrupt = ({ id, reason, message, response_schema, expires_at }: OpenInterrupt): object => ({
  id,
  reason,
  ...(message === null ? {} : { message }),
  ...(response_schema === null ? {} : { responseSchema: response_schema }),
  expiresAt: expires_at,
});

/** Integers, or the client refuses the event. */
const tokens = ({ input_tokens = 0, output_tokens = 0 }: Usage): object => ({
  inputTokens: Math.round(input_tokens),
  outputTokens: Math.round(output_tokens),
});

/** A state is opaque to us; this protocol's is JSON, so what is JSON is handed over as that. */
function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
