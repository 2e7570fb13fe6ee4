import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../encode-sse.ts";
import { failureOf, eventFields } from "./event-facts.ts";
import { dispatch, type EventOf, type Machine, onFailure, type Projection } from "./projection.ts";
import { spokenResult, spokenText } from "./speech.ts";

/**
 * LangGraph Server's stream (docs.langchain.com, "Streaming API", modes messages-tuple, updates, custom and values). Each attempt
 * begins with `metadata`. Text is sent as `messages`; their id names the attempt, so the text of a void attempt is another
 * message. A graph's own `updates` and `custom` are passed on. The result, or an interrupt's question, is sent as `values`, a
 * failure as `error`. Every other event is `custom` with its type in the data. The stream closes with `end`.
 */
export const langgraphProjection: Projection = { headers: {}, plain: false, start: startLanggraph };

function startLanggraph(): Machine {
  let thread_id: string | null = null;
  let attempt = 0;
  let said = "";

  const messageId = ({ run_id }: RunEvent) => `${run_id}-${attempt}`;
  const say = (event: RunEvent, content: string) => {
    if (content === "") return [];
    said += content;
    const { run_id } = event;
    return [
      encodeMessage(
        [
          { id: messageId(event), type: "AIMessageChunk", content },
          { tags: [], run_id, attempt },
        ],
        "messages",
      ),
    ];
  };
  const metadata = ({ run_id }: RunEvent) => encodeMessage({ run_id, thread_id, attempt }, "metadata");
  const custom = (event: RunEvent) => encodeMessage(eventFields(event), "custom");
  const handlers = {
    "run.queued": (event: EventOf<"run.queued">) => {
      ({ thread_id } = event);
      return [metadata(event)];
    },
    "run.started": (event: EventOf<"run.started">) => {
      ({ attempt } = event);
      said = "";
      return [metadata(event), custom(event)];
    },
    "output.delta": (event: EventOf<"output.delta">) => {
      const spoken = spokenText(event.content);
      return spoken === null ? [custom(event)] : say(event, spoken);
    },
    custom: (event: EventOf<"custom">) => {
      // The Python adapter gives these names to what a LangGraph graph streams in the modes `updates` and `custom`.
      if (event.name === "update") return [encodeMessage(event.value, "updates")];
      return [event.name === "custom" ? encodeMessage(event.value, "custom") : custom(event)];
    },
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) => [
      encodeMessage({ __interrupt__: interrupts.map(({ id, ...value }) => ({ id, value })) }, "values"),
    ],
    "run.success": (event: EventOf<"run.success">) => {
      const instead = said === "" ? say(event, spokenResult(event.result_content) ?? "") : [];
      const messages = said === "" ? [] : [{ id: messageId(event), type: "ai", content: said }];
      return [...instead, encodeMessage({ messages, ...Object(event.result_content) }, "values")];
    },
    ...onFailure((event) => {
      const { type, message } = failureOf(event);
      return [encodeMessage({ error: type, message }, "error")];
    }),
  };
  return {
    push: (event) => dispatch(handlers, event, () => [custom(event)]),
    end: () => [encodeMessage(null, "end")],
  };
}
