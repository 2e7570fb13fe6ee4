import type { EventId } from "../../../shared/domain/run/event-id.ts";
import type { OpenInterrupt } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { type Questions, startAiSdk, uiMessageHeaders } from "../../stream/projections/ai-sdk.ts";
import type { Projection } from "../../stream/projections/projection.ts";
import { skipRepeats } from "../../stream/projections/skip-repeats.ts";

/**
 * A run after `cursor` as one message of a chat. What a person is asked is a tool that needs approval. `answers`: what the run
 * was answered, by the ids of its questions.
 */
export const chatMessage = (cursor: EventId, answers: ReadonlyMap<string, unknown>): Projection => ({
  headers: uiMessageHeaders,
  plain: false,
  start: () => ({
    ...skipRepeats(startAiSdk({ cursor, questions: approvals(answers) })),
    // The client takes a clean end for the end of the message. It resumes after an error.
    leave: () => [
      encodeMessage({
        type: "error",
        errorText: "The connection ended because the service restarts. The run goes on.",
      }),
    ],
  }),
});

function approvals(answers: ReadonlyMap<string, unknown>): Questions {
  let open: OpenInterrupt[] = [];
  return {
    ask(interrupts) {
      open = interrupts;
      return interrupts.flatMap(({ id, reason, message, response_schema }) => [
        {
          type: "tool-input-available",
          toolCallId: id,
          toolName: reason,
          input: { message, response_schema },
          dynamic: true,
        },
        { type: "tool-approval-request", approvalId: id, toolCallId: id },
      ]);
    },
    answered: () =>
      open.map(({ id }) =>
        isRefusal(answers.get(id))
          ? { type: "tool-output-denied", toolCallId: id }
          : { type: "tool-output-available", toolCallId: id, output: answers.get(id) ?? null, dynamic: true },
      ),
    close: { type: "finish", finishReason: "tool-calls" },
  };
}

const isRefusal = (answer: unknown): boolean =>
  answer === false ||
  (typeof answer === "object" && answer !== null && "approved" in answer && answer.approved === false);
