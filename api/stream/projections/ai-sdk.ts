import { isTerminalEvent } from "../../../shared/run/run-status.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../encode-sse.ts";
import { dispatch, type EventOf, failureOf, onFailure, type Projection, withoutPlace } from "./projection.ts";
import { spokenResult, spokenText } from "./speech.ts";
import { startTextPart } from "./text-part.ts";

/**
 * The AI SDK's UI message stream, version 1 (ai-sdk.dev, "Stream Protocols"): a run is one message, an attempt is a step of
 * it, a tool that the agent used is a dynamic tool. What the format has no part for is a data part of the event's name; a
 * passing thing is transient. A part can't be taken back: what stands before the last `data-restart` is void.
 */
export const aiSdkProjection: Projection = {
  headers: { "x-vercel-ai-ui-message-stream": "v1" },
  plain: false,
  start() {
    const translate = startParts();
    let begun = false;
    let finished = false;
    return {
      push(event) {
        const { run_id } = event;
        const start = begun ? [] : [{ type: "start", messageId: run_id, messageMetadata: { run_id } }];
        begun = true;
        finished = isTerminalEvent(event.type);
        return [...start, ...translate(event)].map((part) => encodeMessage(part));
      },
      end: () => [...(finished ? [] : [encodeMessage({ type: "finish" })]), "data: [DONE]\n\n"],
    };
  },
};

function startParts(): (event: RunEvent) => object[] {
  const words = {
    open: (id: string) => ({ type: "text-start", id }),
    delta: (id: string, delta: string) => ({ type: "text-delta", id, delta }),
    close: (id: string) => ({ type: "text-end", id }),
  };
  const text = startTextPart(words, (count) => `text-${count}`);
  const calls = new Set<string>();
  let inStep = false;

  function endStep(): object[] {
    const end = inStep ? [{ type: "finish-step" }] : [];
    inStep = false;
    return [...text.reset(), ...end];
  }
  function startStep({ attempt, discards }: EventOf<"run.started">): object[] {
    const before = [...endStep(), ...(discards ? [data("restart", { attempt, discards })] : [])];
    inStep = true;
    return [...before, { type: "start-step" }];
  }
  function startTool({ call_id, name, args }: EventOf<"tool.start">): object[] {
    calls.add(call_id);
    const part = { type: "tool-input-available", toolCallId: call_id, toolName: name, input: args ?? {}, ...ofAgent };
    return [...text.close(), part];
  }
  function endTool(event: EventOf<"tool.end">): object[] {
    // The client refuses the result of a call that it doesn't know.
    if (!calls.has(event.call_id)) return [pass(event)];
    const part = { toolCallId: event.call_id, ...ofAgent };
    return event.error === null
      ? [{ type: "tool-output-available", ...part, output: event.result ?? null }]
      : [{ type: "tool-output-error", ...part, errorText: event.error }];
  }
  const handlers = {
    "run.queued": () => [],
    "run.started": startStep,
    "output.delta": ({ content }: EventOf<"output.delta">) => {
      const spoken = spokenText(content);
      return spoken === null ? [data("output", content)] : text.say(spoken);
    },
    "tool.start": startTool,
    "tool.end": endTool,
    artifact: (event: EventOf<"artifact">) => [data("artifact", withoutPlace(event), { id: event.url })],
    progress: ({ value, message }: EventOf<"progress">) => [data("progress", { value, message }, { id: "progress" })],
    custom: ({ name, value }: EventOf<"custom">) => [data("custom", { name, value })],
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) => [
      ...endStep(),
      ...interrupts.map((interrupt) => data("interrupt", interrupt, { id: interrupt.id })),
    ],
    "run.success": (event: EventOf<"run.success">) => [
      ...text.sayInstead(spokenResult(event.result_content)),
      ...endStep(),
      { type: "finish", messageMetadata: withoutPlace(event) },
    ],
    ...onFailure((event) => [
      ...endStep(),
      { type: "message-metadata", messageMetadata: withoutPlace(event) },
      event.type === "run.cancelled" ? { type: "abort" } : { type: "error", errorText: failureOf(event).message },
    ]),
  };
  return (event) => dispatch(handlers, event, () => [pass(event)]);
}

const data = (name: string, value: unknown, more: object = {}): object => ({
  type: `data-${name}`,
  data: value,
  ...more,
});

/** Shown to the client as it passes, and not kept in the message. */
const pass = (event: RunEvent): object => data(event.type.replace(".", "-"), withoutPlace(event), { transient: true });

/** Not a tool that the client knows or is to execute. */
const ofAgent = { dynamic: true, providerExecuted: true };
