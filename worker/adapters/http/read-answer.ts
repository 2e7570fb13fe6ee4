import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { OpenAnswer } from "../../../shared/net/guarded-fetch.ts";
import { maxLineBytes } from "../../channel/decode-frames.ts";
import { type AgentFrame, agentFrame } from "../../channel/frame-schema.ts";

/**
 * What an agent says in an HTTP answer. Of a JSON line or an event whose `type` (or event name) is a frame's, the frame;
 * any other JSON is output as it is, and so is text. A JSON answer is the result as a whole.
 */
export async function* readAnswer({ contentType, body }: OpenAnswer): AsyncGenerator<AgentFrame> {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return yield* readEvents(body);
  if (type === "application/x-ndjson" || type === "application/jsonl") return yield* readLines(body);
  if (type === "application/json" || type.endsWith("+json")) return yield await readWhole(body);
  for await (const content of decode(body)) yield { type: "output", content };
}

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<AgentFrame> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message), maxBufferSize: maxLineBytes });
  for await (const text of decode(body)) {
    parser.feed(text);
    for (const { event, data } of messages.splice(0)) if (data !== "[DONE]") yield toFrame(data, event);
  }
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<AgentFrame> {
  let rest = "";
  for await (const text of decode(body)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLineBytes) throw new Error("a line is too long");
    for (const line of lines) if (line.trim()) yield toFrame(line);
  }
  if (rest.trim()) yield toFrame(rest);
}

async function readWhole(body: AsyncIterable<Uint8Array>): Promise<AgentFrame> {
  let text = "";
  for await (const part of decode(body)) {
    text += part;
    if (text.length > maxLineBytes) return broken("The agent's answer is too long.");
  }
  try {
    return { type: "result", result_content: JSON.parse(text) };
  } catch {
    return broken("The agent's answer is no JSON, though it says so.");
  }
}

const broken = (message: string): AgentFrame => ({
  type: "error",
  code: "agent_error",
  error_type: "InvalidAnswer",
  message,
  traceback: null,
});

function toFrame(text: string, event?: string): AgentFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { type: "output", content: text };
  }
  const named =
    typeof value === "object" && value !== null && !("type" in value) && event ? { type: event, ...value } : value;
  const parsed = agentFrame.safeParse(named);
  return parsed.success ? parsed.data : { type: "output", content: value };
}

async function* decode(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  for await (const chunk of body) yield decoder.write(Buffer.from(chunk));
  const rest = decoder.end();
  if (rest) yield rest;
}
