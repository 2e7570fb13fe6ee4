import type { RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { failureOf, tokensOf } from "../../stream/projections/event-facts.ts";
import { dispatch, type EventOf, onFailure, type Projection } from "../../stream/projections/projection.ts";
import { skipRepeats } from "../../stream/projections/skip-repeats.ts";
import { startSpeech } from "../../stream/projections/speech.ts";
import { createdAt, leavingError } from "./chat-chunks.ts";
import { callItem, type DoneItem, type ItemEvent, messageItem, questionItem } from "./output-items.ts";
import { formatResponseId, type ResponseId } from "./response-id.ts";

export type ResponseOptions = ResponseId & {
  /** The name that the client asked for. Null: the agent with its version. */
  model: string | null;
  /** Fields of the response that its run does not have. */
  more?: object;
};

type Event = ItemEvent & { sequence_number: number };

export type ResponseReader = {
  /** Returns the events that a run's event becomes. It must be given all events, from the first one on. */
  push(event: RunEvent): Event[];
  /** Returns the response as it stands. */
  response(): Record<string, unknown>;
  /** True when the response has ended, though its run may go on. */
  isOver(): boolean;
};

/** A run as events of the Responses API. The same events of a run give the same sequence numbers. */
export function readResponse({ run_id, part, model, more = {} }: ResponseOptions): ResponseReader {
  const speak = startSpeech();
  const output: object[] = [];
  const events: Event[] = [];
  const calls = new Map<string, EventOf<"tool.start">>();
  let first: RunEvent | null = null;
  let agent = "";
  let thread: string | null = null;
  let current = 1;
  let items = 0;
  let said: { item: ReturnType<typeof messageItem>; index: number } | null = null;
  let hasSaid = false;
  let status = "queued";
  let error: object | null = null;
  let usage: object | null = null;
  let begun = false;

  const isOver = () => !["queued", "in_progress"].includes(status);
  const response = () => ({
    id: formatResponseId({ run_id, part }),
    object: "response",
    created_at: createdAt(first),
    status,
    background: false,
    error,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: model ?? agent,
    output: [...output],
    parallel_tool_calls: true,
    previous_response_id: part > 1 ? formatResponseId({ run_id, part: part - 1 }) : null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage,
    user: null,
    metadata: {},
    ...(thread === null ? {} : { conversation: { id: thread } }),
    ...more,
  });
  const isOurs = () => current === part && !isOver();
  let sequence = 0;
  const send = (event: ItemEvent): void => {
    if (current !== part) return;
    events.push({ ...event, sequence_number: sequence });
    sequence += 1;
  };
  const lifecycle = (type: string) => send({ type, response: response() });

  function begin(): void {
    if (begun || current !== part) return;
    begun = true;
    lifecycle("response.created");
    status = "in_progress";
    lifecycle("response.in_progress");
  }
  function add({ item, began, events: own, done }: DoneItem): void {
    const output_index = output.length;
    output.push(done);
    send({ type: "response.output_item.added", output_index, item: began });
    for (const event of own({ item_id: item.id, output_index })) send(event);
    send({ type: "response.output_item.done", output_index, item: done });
  }
  function say(text: string): void {
    if (text === "" || !isOurs()) return;
    hasSaid = true;
    if (!said) {
      items += 1;
      said = { item: messageItem(`msg_${run_id}_${items}`), index: output.length };
      output.push(said.item.current());
      for (const event of said.item.begin(said.index)) send(event);
    }
    send(said.item.say(said.index, text));
    output[said.index] = said.item.current();
  }
  function close(): void {
    if (!said) return;
    for (const event of said.item.end(said.index)) send(event);
    output[said.index] = said.item.current();
    said = null;
  }
  function end(ended: string, type: string): void {
    close();
    status = ended;
    lifecycle(type);
  }
  const handlers = {
    "run.queued": (event: EventOf<"run.queued">) => {
      agent = `${event.agent_id}@${event.version}`;
      thread = event.thread_id;
    },
    "tool.start": (event: EventOf<"tool.start">) => void calls.set(event.call_id, event),
    "tool.end": (event: EventOf<"tool.end">) => {
      const call = calls.get(event.call_id);
      calls.delete(event.call_id);
      if (!call || !isOurs()) return;
      close();
      add(callItem(agent, call, event));
    },
    "run.interrupted": (event: EventOf<"run.interrupted">) => {
      speak(event);
      if (isOurs()) {
        close();
        for (const interrupt of event.interrupts) add(questionItem(interrupt));
        end("completed", "response.completed");
      }
      current += 1;
      hasSaid = false;
      begin();
    },
    "run.success": (event: EventOf<"run.success">) => {
      if (!isOurs()) return;
      if (!hasSaid) say(speak(event));
      usage = usageOf(event.usage);
      end("completed", "response.completed");
    },
    ...onFailure((event) => {
      if (!isOurs()) return;
      const { code, message } = failureOf(event);
      if (event.type === "run.cancelled") return end("cancelled", "response.incomplete");
      // The types have no other code.
      error = { code: "server_error", message: `${message} (${code})` };
      end("failed", "response.failed");
    }),
  };
  const machine = skipRepeats({
    push(event) {
      if (!first) {
        first = event;
        if (event.type === "run.queued") handlers["run.queued"](event);
        begin();
        return [];
      }
      dispatch<void>(handlers, event, (other) => say(speak(other)));
      return [];
    },
    end: () => [],
  });
  return {
    push(event) {
      machine.push(event);
      return events.splice(0);
    },
    response,
    isOver,
  };
}

/** The stream of a response after a sequence number. */
export const responseProjection = (options: ResponseOptions, after: number): Projection => ({
  headers: {},
  plain: false,
  start() {
    const reader = readResponse(options);
    return {
      push: (event) =>
        reader
          .push(event)
          .filter(({ sequence_number }) => sequence_number > after)
          .map((message) => encodeMessage(message, message.type)),
      end: () => [],
      leave: () => [encodeMessage({ type: "error", error: leavingError }, "error")],
    };
  },
});

function usageOf(usage: Usage | null): object | null {
  const tokens = tokensOf(usage);
  if (tokens === null) return null;
  const { input, output } = tokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
