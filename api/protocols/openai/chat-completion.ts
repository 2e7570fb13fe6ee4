import { compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { dispatch, type EventOf, onFailure } from "../../stream/projections/projection.ts";
import { skipRepeats } from "../../stream/projections/skip-repeats.ts";
import { startSpeech } from "../../stream/projections/speech.ts";
import { createdAt, errorOf, usageOf } from "./chat-chunks.ts";
import { plainQuestion, questionOf } from "./question.ts";

/** What a whole run is as an answer that is not streamed: a completion, or why the run failed. */
export type Completion = { failed: ReturnType<typeof errorOf> } | { failed: null; completion: object };

type Collector = { push(event: RunEvent): void; result(): Completion };

/** Collects a run's events after `cursor` into a chat completion. It must be given all events, from the first one on. */
export function collectCompletion(model: string, cursor: EventId): Collector {
  const speak = startSpeech(plainQuestion);
  let first: RunEvent | null = null;
  let content = "";
  let message: object = {};
  let finish_reason = "stop";
  let usage = usageOf(null);
  let failed: ReturnType<typeof errorOf> | null = null;

  const say = (event: RunEvent): string[] => {
    content += speak(event);
    return [];
  };
  const handlers = {
    "run.interrupted": (event: EventOf<"run.interrupted">) => {
      finish_reason = "tool_calls";
      message = { tool_calls: event.interrupts.map((interrupt) => questionOf(event.run_id, interrupt)) };
      return say(event);
    },
    "run.success": (event: EventOf<"run.success">) => {
      if (content === "") say(event);
      usage = usageOf(event.usage);
      return [];
    },
    ...onFailure((event): string[] => {
      failed = errorOf(event);
      return [];
    }),
  };
  const machine = skipRepeats({
    push: (event) => {
      first ??= event;
      return dispatch<string[]>(handlers, event, say);
    },
    end: () => [],
  });
  return {
    push(event) {
      machine.push(event);
      if (compareEventIds(event, cursor) > 0) return;
      content = "";
      message = {};
      finish_reason = "stop";
    },
    result: () =>
      failed === null
        ? {
            failed,
            completion: {
              id: first?.run_id,
              object: "chat.completion",
              created: createdAt(first),
              model,
              service_tier: null,
              system_fingerprint: null,
              choices: [
                {
                  index: 0,
                  message: {
                    role: "assistant",
                    content: content === "" ? null : content,
                    refusal: null,
                    annotations: [],
                    ...message,
                  },
                  logprobs: null,
                  finish_reason,
                },
              ],
              usage,
            },
          }
        : { failed },
  };
}
