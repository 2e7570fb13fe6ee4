import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { encodeMessage } from "../encode-sse.ts";
import { failureOf, tokensOf } from "./event-facts.ts";
import { dispatch, type EventOf, type Machine, onFailure, type Projection } from "./projection.ts";
import { startSpeech } from "./speech.ts";

/**
 * OpenAI's chat completion chunks (platform.openai.com, "The chat completion chunk object"). Text is sent as `content`. A failure
 * is an error object, which OpenAI's clients throw. The format has no field for other events (tools have already run, so they
 * are no `tool_calls`), so each chunk carries its event as `runfleet`, a field that OpenAI's clients ignore.
 */
export const openaiProjection: Projection = { headers: {}, plain: false, start: startOpenai };

function startOpenai(): Machine {
  const speak = startSpeech();
  let first: RunEvent | null = null;
  let model = "runfleet";
  let finished = false;

  const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
    encodeMessage({
      id: first?.run_id,
      object: "chat.completion.chunk",
      created: Math.floor(Date.parse(first?.ts ?? "") / 1000),
      model,
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    });
  const finish = (more?: object) => {
    finished = true;
    return chunk({}, "stop", more);
  };
  const begin = (event: RunEvent) => {
    if (first) return [];
    first = event;
    if (event.type === "run.queued") model = event.agent_id;
    return [chunk({ role: "assistant", content: "" }, null)];
  };
  const say = (event: RunEvent) => {
    const content = speak(event);
    const plain = event.type === "output.delta" && typeof event.content === "string";
    return [chunk(content === "" ? {} : { content }, null, plain ? {} : { runfleet: event })];
  };
  const succeed = (event: EventOf<"run.success">) => {
    const content = speak(event);
    const said = content === "" ? [] : [chunk({ content }, null)];
    return [...said, finish({ ...usageOf(event), runfleet: event })];
  };
  const fail = onFailure((event) => {
    finished = true;
    return [encodeMessage({ error: { ...failureOf(event), param: null, runfleet: event } })];
  });

  return {
    push: (event) => [...begin(event), ...dispatch({ "run.success": succeed, ...fail }, event, say)],
    end: () => [...(finished ? [] : [finish()]), "data: [DONE]\n\n"],
  };
}

function usageOf(event: EventOf<"run.success">): object {
  const tokens = tokensOf(event.usage);
  if (tokens === null) return {};
  const { input, output } = tokens;
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } };
}
