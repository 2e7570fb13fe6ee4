import { measureJson } from "../../../shared/domain/json/measure-json.ts";
import { requestLimits } from "../../../shared/domain/run/request-limits.ts";
import { frameFaultOf, isFrameType } from "../../channel/decode-frames.ts";
import { foreignFrame } from "../../channel/foreign-frame.ts";
import type { AgentFrame } from "../../channel/frame-schema.ts";

/** `message` is the end of a sentence that begins with "The agent's answer". */
export class InvalidAnswer extends Error {
  override name = "InvalidAnswer";
}

/** Throws InvalidAnswer for JSON that is nested too deep to be read, or has more values than a sandbox's frame may have. */
export function refuseLarge(text: string): void {
  const { json_depth, json_values } = requestLimits;
  // The commas of a text are no values.
  const most = { depth: json_depth + 1, values: /^\s*[[{]/.test(text) ? json_values : Infinity };
  const { depth, values } = measureJson(text, most);
  if (depth > most.depth) throw new InvalidAnswer(`is nested deeper than ${json_depth} levels`);
  if (values > most.values) throw new InvalidAnswer(`has more than ${json_values} values in one piece`);
}

/**
 * Returns the frame of an event or a line of an answer: `text` is JSON or text, `event` the event's name. JSON that is no frame is
 * output. Throws InvalidAnswer.
 */
export function eventToFrame(text: string, event?: string): AgentFrame {
  refuseLarge(text);
  const value = parse(text);
  if (value === undefined && event === "error") return toError({ type: "error", message: text }, text);
  if (!isObject(value)) return { type: "output", content: value === undefined ? text : value };
  const type = typeof value["type"] === "string" ? value["type"] : event;
  const frame = runfleetFrame({ ...value, type }) ?? openAiFrame(value);
  if (frame) return frame;
  if (event === "error" || type === "error" || isBareError(value)) return toError({ ...value, type: "error" }, text);
  return ownFrame(value, type);
}

/** Returns JSON's value; undefined for a text that is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ownFrame(value: Fields, type: string | undefined): AgentFrame {
  const named = type === undefined ? value : { ...value, type };
  const parsed = foreignFrame.safeParse(named);
  if (parsed.success) return parsed.data;
  // A value of the agent's own, unless it says that it is a frame.
  if (!isFrameType(value["type"])) return { type: "output", content: value };
  throw new InvalidAnswer(`has a frame '${type}' that can't be used: ${frameFaultOf(parsed.error, named)}`);
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** `{"error": {"message": …}}`, as OpenAI's servers say it in the middle of a stream. */
const isBareError = (value: Fields): boolean =>
  Object.keys(value).length === 1 && (isObject(value["error"]) || typeof value["error"] === "string");

function toError(value: Fields, text: string): AgentFrame {
  const parsed = foreignFrame.safeParse(value);
  if (parsed.success) return parsed.data;
  return { type: "error", code: "agent_error", error_type: "Error", message: text.slice(0, 10_000), traceback: null };
}

/** Returns the frame of an event of Runfleet's own stream, so that a remote agent may be another Runfleet; null for none. */
function runfleetFrame(value: Fields): AgentFrame | null {
  const { type, content, result_content, error } = value;
  if (type === "output.delta") return { type: "output", content };
  if (type === "run.success") return { type: "result", result_content };
  if (typeof type !== "string" || !type.startsWith("run.")) return null;
  if (["run.queued", "run.started", "run.waiting"].includes(type)) return { type: "custom", name: type, value };
  const told = isObject(error) ? error : { message: `The remote run ended as ${type}.` };
  return toError({ type: "error", error: told }, `The remote run ended as ${type}.`);
}

/** Returns what a chunk of OpenAI's chat completions says: text; null for anything else. */
function openAiFrame({ object, choices, usage }: Fields): AgentFrame | null {
  if (object !== "chat.completion.chunk" || !Array.isArray(choices)) return null;
  const delta: unknown = isObject(choices[0]) ? choices[0]["delta"] : null;
  if (isObject(delta) && typeof delta["content"] === "string" && delta["content"] !== "")
    return { type: "output", content: delta["content"] };
  if (!isObject(usage)) return { type: "custom", name: "chat.completion.chunk", value: { choices } };
  const count = (name: string): number => (typeof usage[name] === "number" ? usage[name] : 0);
  return { type: "usage", input_tokens: count("prompt_tokens"), output_tokens: count("completion_tokens") };
}
