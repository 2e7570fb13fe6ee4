import { compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import type { RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { failureOf, tokensOf } from "../../stream/projections/event-facts.ts";
import {
  dispatch,
  type EventOf,
  type Machine,
  onFailure,
  type Projection,
} from "../../stream/projections/projection.ts";
import { skipRepeats } from "../../stream/projections/skip-repeats.ts";
import { startSpeech } from "../../stream/projections/speech.ts";
import { plainQuestion, questionOf } from "./question.ts";

type Options = {
  model: string;
  includeUsage: boolean;
  /** The completion begins after this event of the run. */
  cursor: EventId;
};

/**
 * A run as chunks of a chat completion. What the agent's own tools did is no `tool_calls`, which the client would have to answer:
 * the chunk has the event as `runfleet`, a field that clients ignore. A question to a person is a tool call.
 */
export const chatProjection = (options: Options): Projection => ({
  headers: {},
  plain: false,
  start: () => skipRepeats(startChunks(options)),
});

function startChunks({ model, includeUsage, cursor }: Options): Machine {
  const speak = startSpeech(plainQuestion);
  let first: RunEvent | null = null;
  let begun = false;
  let hasSaid = false;
  let usage: Usage | null = null;
  let finished = false;

  const frame = (more: object) =>
    encodeMessage({
      id: first?.run_id,
      object: "chat.completion.chunk",
      created: createdAt(first),
      model,
      service_tier: null,
      system_fingerprint: null,
      ...more,
      ...(includeUsage && !("usage" in more) ? { usage: null } : {}),
    });
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    frame({ choices: [{ index: 0, delta, finish_reason, logprobs: null }], ...more });
  const begin = (event: RunEvent): string[] => {
    first ??= event;
    if (begun || compareEventIds(event, cursor) <= 0) return [];
    begun = true;
    return [chunk({ role: "assistant", content: "", refusal: null })];
  };
  const say = (event: RunEvent): string[] => {
    const content = speak(event);
    hasSaid ||= content !== "";
    if (event.type === "output.delta") return [chunk({ content })];
    return [chunk(content === "" ? {} : { content }, null, { runfleet: event })];
  };
  const handlers = {
    "run.interrupted": (event: EventOf<"run.interrupted">) => {
      finished = true;
      const calls = event.interrupts.map((interrupt) => questionOf(event.run_id, interrupt));
      const content = speak(event);
      // An answered run goes on in another completion.
      hasSaid = false;
      return [
        chunk({ content }),
        ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
        chunk({}, "tool_calls", { runfleet: event }),
      ];
    },
    "run.success": (event: EventOf<"run.success">) => {
      finished = true;
      ({ usage } = event);
      const content = hasSaid ? "" : speak(event);
      return [...(content === "" ? [] : [chunk({ content })]), chunk({}, "stop", { runfleet: event })];
    },
    ...onFailure((event) => {
      finished = true;
      return [encodeMessage({ error: errorOf(event) })];
    }),
  };
  return {
    push: (event) => [...begin(event), ...dispatch(handlers, event, say)],
    end: () => [
      ...(includeUsage && finished ? [frame({ choices: [], usage: usageOf(usage) })] : []),
      "data: [DONE]\n\n",
    ],
    // Without it the library would wait for more, or throw that the end is missing.
    leave: () => [encodeMessage({ error: leavingError })],
  };
}

/** The service shuts down, and the run goes on. */
export const leavingError = {
  message: "The connection ended because the service restarts. The run goes on.",
  type: "server_error",
  param: null,
  code: "leaving",
};

export const createdAt = (event: RunEvent | null): number => Math.floor(Date.parse(event?.ts ?? "") / 1000);

/** Returns why a run failed, as OpenAI shows errors. */
export function errorOf(event: Parameters<typeof failureOf>[0]) {
  const { code, message } = failureOf(event);
  return { message, type: "server_error", param: null, code };
}

/** Returns usage as a chat completion has it. Zero: the agent has reported none. */
export function usageOf(usage: Usage | null) {
  const { input, output } = tokensOf(usage) ?? { input: 0, output: 0 };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
