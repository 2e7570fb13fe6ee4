// Reads what an agent returned and what speaks by itself: responses, streams, results of frameworks.
import { sendOutput } from "./channel.mjs";
import { endTool, startTool, Totals } from "./framework-events.mjs";
import { openAiResult, tellOpenAiEvent } from "./run-openai-agent.mjs";

/**
 * Reads a web response: JSON is the result, text and lines of JSON are output as they come, a redirection and a status of 400 or
 * more are errors.
 * @param {any} response
 */
export async function readResponse(response) {
  const type = response.headers?.get?.("content-type") ?? "";
  await refuseFailed(response);
  if (/ndjson|jsonl|json-?lines/.test(type)) return sendJsonLines(response.body ?? []);
  if (type.includes("json")) return response.json();
  if (response.body === null) return null;
  if (type === "" || type.startsWith("text/")) return sendText(response.body);
  return new Uint8Array(await response.arrayBuffer());
}

/** @param {any} response */
async function refuseFailed(response) {
  const { status } = response;
  if (status >= 400) throw new Error(`The agent's response is ${status}: ${(await response.text()).slice(0, 2_000)}`);
  const location = response.headers?.get?.("location");
  if (status >= 300 && location)
    throw new Error(`The agent's response is ${status}, a redirection to ${location}. Name that path in the input.`);
}

/**
 * Sends what a stream of bytes or texts says.
 * @param {AsyncIterable<any>} stream
 */
async function sendText(stream) {
  const decoder = new TextDecoder();
  for await (const part of stream) {
    const content = part instanceof Uint8Array ? decoder.decode(part, { stream: true }) : part;
    if (content !== "") sendOutput(content);
  }
  const rest = decoder.decode();
  if (rest) sendOutput(rest);
  return null;
}

/**
 * Sends each line of a stream as the JSON that it is.
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} stream
 */
async function sendJsonLines(stream) {
  const decoder = new TextDecoder();
  let line = "";
  for await (const part of stream) {
    const [first = "", ...more] = decoder.decode(part, { stream: true }).split("\n");
    line += first;
    for (const rest of more) {
      if (line.trim()) sendOutput(JSON.parse(line));
      line = rest;
    }
  }
  line += decoder.decode();
  if (line.trim()) sendOutput(JSON.parse(line));
  return null;
}

/** @type {Record<string, (part: any, totals: Totals) => void>} What a part of an AI SDK's or Mastra's stream says, by its type. */
const aiParts = {
  "text-delta": ({ text, textDelta, delta }) => sendOutput(text ?? textDelta ?? delta ?? ""),
  "tool-call": ({ toolCallId, toolName, input, args }) => startTool(toolCallId, toolName, input ?? args),
  "tool-result": ({ toolCallId, output, result }) => endTool(toolCallId, output ?? result),
  "tool-error": ({ toolCallId, error }) => endTool(toolCallId, null, error),
  finish: ({ totalUsage, usage, output }, totals) => totals.add(totalUsage ?? usage ?? output?.usage),
  error: (part) => {
    throw part.error ?? part;
  },
};

/**
 * Sends what the stream of an AI SDK's or Mastra's result says.
 * @param {any} result Of `streamText`, `streamObject` or an agent's `stream`.
 */
export async function sendAiStream(result, totals = new Totals()) {
  for await (const chunk of result.fullStream) aiParts[chunk.type]?.(chunk.payload ?? chunk, totals);
  return result.partialObjectStream && result.object !== undefined ? result.object : null;
}

/** @param {any} value @param {string[]} names */
export const hasFunctions = (value, ...names) => names.every((name) => typeof value?.[name] === "function");

/** @type {[isLike: (value: any) => boolean, read: (value: any) => unknown][]} */
const readers = [
  [(value) => hasFunctions(value, "arrayBuffer", "clone", "text") && "status" in value, readResponse],
  [({ fullStream }) => typeof fullStream === "object" && fullStream !== null, (value) => sendAiStream(value)],
  [
    (value) => hasFunctions(value, "toTextStream") && "finalOutput" in value,
    async (value) => {
      for await (const event of value) tellOpenAiEvent(event);
      return openAiResult(value);
    },
  ],
  [(value) => "finalOutput" in value && "newItems" in value, openAiResult],
  [
    (value) => "text" in value && "steps" in value && "finishReason" in value,
    ({ text, finishReason, totalUsage, usage }) => {
      new Totals().add(totalUsage ?? usage);
      return { text, finish_reason: finishReason };
    },
  ],
  [(value) => hasFunctions(value, "getReader") || hasFunctions(value, "pipe", "read"), sendText],
];

/**
 * Returns a function that reads a value which an agent returned and which speaks by itself: a response, a stream, the result of
 * a framework's call. Null for a plain value.
 * @param {any} value
 * @returns {(() => unknown) | null}
 */
export function readerOf(value) {
  if (typeof value !== "object" || value === null) return null;
  const [, read] = readers.find(([isLike]) => isLike(value)) ?? [];
  return read ? () => read(value) : null;
}
