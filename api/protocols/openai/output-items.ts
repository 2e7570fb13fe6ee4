import type { OpenInterrupt } from "../../../shared/schemas/run-event.ts";
import type { EventOf } from "../../stream/projections/projection.ts";
import { questionOf } from "./question.ts";

/** An event of an item, without its number. */
export type ItemEvent = { type: string; [field: string]: unknown };

/** An item that is told as a whole: as it begins, its own events, and as it is done. */
export type DoneItem = {
  item: { id: string };
  began: object;
  events: (place: object) => ItemEvent[];
  done: object;
};

/** A message of a response, which grows. */
export function messageItem(id: string) {
  let text = "";
  let status = "in_progress";
  const part = () => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const current = () => ({ id, type: "message", status, role: "assistant", content: [part()] });
  const place = (output_index: number) => ({ item_id: id, output_index, content_index: 0 });
  return {
    current,
    begin: (output_index: number): ItemEvent[] => [
      { type: "response.output_item.added", output_index, item: { ...current(), content: [] } },
      { type: "response.content_part.added", ...place(output_index), part: part() },
    ],
    say(output_index: number, delta: string): ItemEvent {
      text += delta;
      return { type: "response.output_text.delta", ...place(output_index), delta, logprobs: [] };
    },
    end(output_index: number): ItemEvent[] {
      status = "completed";
      return [
        { type: "response.output_text.done", ...place(output_index), text, logprobs: [] },
        { type: "response.content_part.done", ...place(output_index), part: part() },
        { type: "response.output_item.done", output_index, item: current() },
      ];
    },
  };
}

/** A tool that the agent used: a call that the client need not answer. */
export function callItem(agent: string, call: EventOf<"tool.start">, { result, error }: EventOf<"tool.end">): DoneItem {
  const id = `mcp_${call.call_id}`;
  const args = JSON.stringify(call.args ?? {});
  const item = { id, type: "mcp_call", name: call.name, server_label: agent };
  const output = typeof result === "string" ? result : JSON.stringify(result ?? null);
  return {
    item,
    began: { ...item, status: "in_progress", arguments: "", output: null, error: null },
    events: (place: object): ItemEvent[] => [
      { type: "response.mcp_call.in_progress", ...place },
      { type: "response.mcp_call_arguments.delta", ...place, delta: args },
      { type: "response.mcp_call_arguments.done", ...place, arguments: args },
      { type: error === null ? "response.mcp_call.completed" : "response.mcp_call.failed", ...place },
    ],
    done: {
      ...item,
      status: error === null ? "completed" : "failed",
      arguments: args,
      output: error === null ? output : null,
      error,
    },
  };
}

/** A question to a person: a call whose output is the answer. */
export function questionItem(interrupt: OpenInterrupt): DoneItem {
  const { function: asked } = questionOf("", interrupt);
  const item = { id: `fc_${interrupt.id}`, type: "function_call", call_id: interrupt.id, name: asked.name };
  return {
    item,
    began: { ...item, status: "in_progress", arguments: "" },
    events: (place: object): ItemEvent[] => [
      { type: "response.function_call_arguments.delta", ...place, delta: asked.arguments },
      {
        type: "response.function_call_arguments.done",
        ...place,
        name: asked.name,
        arguments: asked.arguments,
      },
    ],
    done: { ...item, status: "completed", arguments: asked.arguments },
  };
}
