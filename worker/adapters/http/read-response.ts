import { TextDecoder } from "node:util";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { OpenAnswer } from "../../../shared/platform/net/guarded-fetch.ts";
import { ChannelBreach, channelBudget, type ChannelMeter, createChannelMeter } from "../../channel/channel-budget.ts";
import type { AgentFrame } from "../../channel/frame-schema.ts";
import { eventToFrame, InvalidAnswer, refuseLarge } from "./event-to-frame.ts";
import { maxLineBytes, splitLines } from "../../channel/split-lines.ts";

type Body = AsyncIterable<Uint8Array>;

/**
 * Reads an agent's HTTP answer as frames. A JSON line, or an event, whose `type` or event name is that of a frame becomes
 * the frame; any other JSON becomes output, and so does text. A JSON answer is the result as a whole. An answer that can't
 * be read ends with an `error` that says why. Errors of the body are thrown on.
 */
export async function* readAnswer({ contentType, contentEncoding, body }: OpenAnswer): AsyncGenerator<AgentFrame> {
  const meter = createChannelMeter(channelBudget);
  try {
    if (!["", "identity"].includes(contentEncoding.trim().toLowerCase()))
      throw new InvalidAnswer(`is compressed (${contentEncoding.slice(0, 64)}), which wasn't asked for`);
    yield* readAs(contentType, body, meter);
  } catch (error) {
    if (error instanceof ChannelBreach) yield broken(`has ${error.message}`);
    else if (error instanceof InvalidAnswer) yield broken(error.message);
    else throw error;
  }
}

function readAs(contentType: string, body: Body, meter: ChannelMeter): AsyncGenerator<AgentFrame> {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return readEvents(body, meter);
  if (type === "application/x-ndjson" || type === "application/jsonl") return readLines(body, meter);
  if (type === "application/json" || type.endsWith("+json")) return readWhole(body, meter);
  return readText(body, decoderOf(contentType), meter);
}

async function* readEvents(body: Body, meter: ChannelMeter): AsyncGenerator<AgentFrame> {
  const messages: EventSourceMessage[] = [];
  let tooLong = false;
  const parser = createParser({
    onEvent: (message) => void messages.push(message),
    onError: (error) => void (tooLong ||= error.type === "max-buffer-size-exceeded"),
    maxBufferSize: maxLineBytes,
  });
  for await (const text of wholeLines(body, meter)) {
    const startedAt = performance.now();
    parser.feed(text);
    if (tooLong) throw new InvalidAnswer(`has an event longer than ${maxLineBytes} bytes`);
    const frames = messages
      .splice(0)
      .flatMap(({ event, data }) => (data === "[DONE]" ? [] : [eventToFrame(data, event)]));
    meter.add({ cpuMs: performance.now() - startedAt });
    yield* frames;
    await meter.pause();
  }
  // Without its last empty line an event is whole where its JSON is.
  parser.feed("\n");
  for (const { event, data } of messages) {
    if (isCutJson(data)) throw new InvalidAnswer(endsWithin);
    yield eventToFrame(data, event);
  }
}

const endsWithin = "ends in the middle of an event: the connection was closed before it was whole";

/** True for what begins like JSON and is none. */
function isCutJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/**
 * Yields all whole lines that have come, as one text. Their ends are LF only: after each line the SSE parser searches the
 * whole text for a CR, so its time for a text with a CR grows with the square of the length.
 */
async function* wholeLines(body: Body, meter: ChannelMeter): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8");
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    meter.add({ bytes: chunk.length });
    const text = decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) {
      const lines = [...parts, text.slice(0, end)].join("").replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      meter.add({ lines: countLines(lines) });
      yield lines;
      parts = [];
      length = 0;
    }
    parts.push(text.slice(end));
    length += text.length - end;
    if (length > maxLineBytes) throw new InvalidAnswer(`has a line longer than ${maxLineBytes} bytes`);
    await meter.pause();
  }
  const rest = parts.join("");
  if (rest === "") return;
  const data = rest.replace(/^data: ?/, "");
  if (data !== "[DONE]" && !/^\s*[{[].*[}\]]\s*$/.test(data)) throw new InvalidAnswer(endsWithin);
  yield `${rest}\n`;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

async function* readLines(body: Body, meter: ChannelMeter): AsyncGenerator<AgentFrame> {
  for await (const { bytes, torn } of splitLines(body, meter)) {
    const startedAt = performance.now();
    const text = textOf(bytes);
    if (text.trim() === "") continue;
    if (torn && isCutJson(text)) throw new InvalidAnswer(endsWithin);
    const frame = eventToFrame(text);
    meter.add({ cpuMs: performance.now() - startedAt });
    yield frame;
  }
}

async function* readWhole(body: Body, meter: ChannelMeter): AsyncGenerator<AgentFrame> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > maxLineBytes) throw new InvalidAnswer("is too long");
    parts.push(part);
    meter.add({ bytes: part.length });
    await meter.pause();
  }
  const text = textOf(Buffer.concat(parts));
  refuseLarge(text);
  let result_content: unknown;
  try {
    result_content = JSON.parse(text);
  } catch {
    throw new InvalidAnswer("is no JSON, though it says so");
  }
  yield { type: "result", result_content };
}

async function* readText(body: Body, decoder: TextDecoder, meter: ChannelMeter): AsyncGenerator<AgentFrame> {
  for await (const chunk of body) {
    meter.add({ bytes: chunk.length, lines: 1 });
    const content = decoder.decode(chunk, { stream: true });
    if (content !== "") yield { type: "output", content };
    await meter.pause();
  }
  const rest = decoder.decode();
  if (rest !== "") yield { type: "output", content: rest };
}

/** JSON is UTF-8, whatever the header says. A byte order mark is skipped. */
function textOf(bytes: Uint8Array | null): string {
  if (bytes === null) throw new InvalidAnswer(`has a line longer than ${maxLineBytes} bytes`);
  return new TextDecoder("utf-8").decode(bytes);
}

function decoderOf(contentType: string): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]{1,64})/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset);
  } catch {
    throw new InvalidAnswer(`is in a charset that isn't known: ${charset}`);
  }
}

const broken = (does: string): AgentFrame => ({
  type: "error",
  code: "agent_error",
  error_type: "InvalidAnswer",
  message: `The agent's answer ${does}.`,
  traceback: null,
});
