import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { eventFields, failureOf } from "../../stream/projections/event-facts.ts";
import { dispatch, type EventOf, type Machine, onFailure } from "../../stream/projections/projection.ts";
import { restateStanding } from "../../stream/projections/skip-repeats.ts";
import { spokenResult, spokenText } from "../../stream/projections/speech.ts";
import { type Conversation, startConversation } from "./conversation.ts";
import { toInterrupt } from "./interrupts.ts";
import { aiMessage, type Message, type ToolCall } from "./messages.ts";
import type { StreamMode } from "./stream-modes.ts";
import type { Values } from "./grow-values.ts";
import { addResult, addValues } from "./values.ts";

/** What is shown of a run, and what its events don't tell. */
export type RunView = {
  modes: ReadonlySet<StreamMode>;
  agent_id: string;
  /** The thread's values before the run. */
  base: Values;
  input: object;
};

/** How a run ended, as `runs.wait` answers it. */
export type Ending = Values | { __interrupt__: unknown[] } | { __error__: { error: string; message: string } };

export type ProjectedRun = Machine & {
  /** The values so far. */
  values(): Values;
  /** The messages that are complete. */
  said(): readonly Message[];
  /** Null: the run has not ended. */
  ending(): Ending | null;
};

/**
 * A run's events as those of LangGraph's server (docs.langchain.com, "Streaming API"). Each attempt begins with `metadata`. An
 * agent is a graph of one node, which has the agent's name; a graph's own `updates` and `custom` are passed on. Everything that
 * LangGraph has no word for is `custom`. There is no event for the end: the client takes it for one of the agent's.
 */
export function projectRun({ modes, agent_id, base, input }: RunView): ProjectedRun {
  let attempt = 1;
  let start: Values = base;
  let values: Values = base;
  let ending: Ending | null = null;
  let conversation: Conversation = startConversation("");
  let hasUpdates = false;
  let hasBegun = false;

  const shown = (mode: StreamMode, data: unknown, event: string = mode): string[] =>
    modes.has(mode) ? [encodeMessage(data, event)] : [];
  const facts = ({ run_id }: RunEvent) => ({
    tags: [],
    run_id,
    run_attempt: attempt,
    graph_id: agent_id,
    assistant_id: agent_id,
    langgraph_node: agent_id,
  });
  const chainEvent = (event: RunEvent, name: string, data: unknown, of: string = agent_id): string[] => {
    const { tags, ...metadata } = facts(event);
    return shown("events", { event: name, name: of, run_id: event.run_id, tags, metadata, data });
  };
  const task = ({ run_id }: RunEvent, fields: object): string[] =>
    shown("tasks", { id: `${run_id}-${attempt}`, name: agent_id, ...fields });
  const custom = (event: RunEvent): string[] => shown("custom", eventFields(event));
  const begins = (event: RunEvent, id: string): string[] =>
    shown("messages", { [id]: { metadata: facts(event) } }, "messages/metadata");
  const grown = (): string[] => {
    const message = modes.has("messages") ? conversation.grown() : null;
    return message === null ? [] : shown("messages", [message], "messages/partial");
  };
  const wrote = (node: string, fields: object): string[] => (hasUpdates ? [] : shown("updates", { [node]: fields }));

  function begin({ run_id }: RunEvent): string[] {
    conversation = startConversation(`${run_id}-${attempt}`);
    hasUpdates = false;
    hasBegun = true;
    ending = null;
    start = addValues(base, input, `${run_id}-in`);
    values = start;
    return [encodeMessage({ run_id, attempt }, "metadata"), ...shown("values", start)];
  }

  function say(event: RunEvent, text: string): string[] {
    if (text === "") return [];
    const message = conversation.say(text);
    const chunk = { ...aiMessage(message.id, text), tool_call_chunks: [] };
    return [
      ...(message.begins ? begins(event, message.id) : []),
      ...shown("messages-tuple", [chunk, facts(event)], "messages"),
      ...grown(),
      ...chainEvent(event, "on_chat_model_stream", { chunk }),
    ];
  }

  /** Completes the message that is open. */
  function close(): { message: Message | null; sent: string[] } {
    const message = conversation.close();
    return { message, sent: message === null ? [] : shown("messages", [message], "messages/complete") };
  }

  function callTool(event: EventOf<"tool.start">): string[] {
    const call: ToolCall = { name: event.name, args: event.args, id: event.call_id, type: "tool_call" };
    const { id, begins: isNew, index } = conversation.call(call);
    const { name, args, id: call_id } = call;
    const chunk = { name, args: JSON.stringify(args ?? {}), id: call_id, index, type: "tool_call_chunk" };
    return [
      ...(isNew ? begins(event, id) : []),
      ...shown(
        "messages-tuple",
        [{ ...aiMessage(id, "", [call]), tool_call_chunks: [chunk] }, facts(event)],
        "messages",
      ),
      ...grown(),
      ...chainEvent(event, "on_tool_start", { input: event.args }, event.name),
    ];
  }

  function answerTool(event: EventOf<"tool.end">): string[] {
    const { message, sent } = close();
    const answer = conversation.answer(event.call_id, event.result, event.error);
    return [
      ...sent,
      ...(message === null ? [] : wrote(agent_id, { messages: [message] })),
      ...shown("messages-tuple", [answer, facts(event)], "messages"),
      ...shown("messages", [answer], "messages/complete"),
      ...wrote("tools", { messages: [answer] }),
      ...chainEvent(event, "on_tool_end", { output: answer }, String(answer["name"])),
    ];
  }

  function interrupt(event: EventOf<"run.interrupted">): string[] {
    const interrupts = event.interrupts.map(toInterrupt);
    ending = { __interrupt__: interrupts };
    return [
      ...close().sent,
      ...shown("updates", ending),
      ...shown("values", ending),
      ...task(event, { result: {}, interrupts }),
    ];
  }

  function succeed(event: EventOf<"run.success">): string[] {
    const { result_content: result, run_id } = event;
    const { said } = conversation;
    const instead = conversation.isSilent() ? say(event, spokenResult(result) ?? "") : [];
    const { message, sent } = close();
    values = addResult(start, run_id, result, said);
    ending = values;
    const fields = {
      ...Object(result),
      ...("messages" in Object(result) || message === null ? {} : { messages: [message] }),
    };
    return [
      ...instead,
      ...sent,
      ...wrote(agent_id, fields),
      ...shown("values", values),
      ...task(event, { result: fields, interrupts: [] }),
      ...chainEvent(event, "on_chain_end", { output: values }),
    ];
  }

  const handlers = {
    "run.queued": (event: EventOf<"run.queued">) => begin(event),
    "run.started": (event: EventOf<"run.started">) => {
      const isAgain = event.attempt > 1;
      attempt = event.attempt;
      return [
        ...(isAgain || !hasBegun ? begin(event) : []),
        ...task(event, { input: start, triggers: ["__start__"], interrupts: [] }),
        ...chainEvent(event, "on_chain_start", { input }),
      ];
    },
    "output.delta": (event: EventOf<"output.delta">) => {
      const spoken = spokenText(event.content);
      return spoken === null ? custom(event) : say(event, spoken);
    },
    "tool.start": callTool,
    "tool.end": answerTool,
    custom: (event: EventOf<"custom">) => {
      // The Python adapter gives these names to what a LangGraph graph streams in the modes `updates` and `custom`.
      if (event.name === "update") {
        hasUpdates = true;
        return shown("updates", event.value);
      }
      return event.name === "custom" ? shown("custom", event.value) : custom(event);
    },
    "run.interrupted": interrupt,
    "run.success": succeed,
    ...onFailure((event) => {
      const { type, message } = failureOf(event);
      ending = { __error__: { error: type, message } };
      return [
        ...close().sent,
        ...task(event, { error: message, interrupts: [] }),
        encodeMessage({ error: type, message }, "error"),
      ];
    }),
  };
  return {
    push: restateStanding((event) => dispatch(handlers, event, custom)),
    end: () => [],
    values: () => values,
    said: () => conversation.said,
    ending: () => ending,
  };
}
