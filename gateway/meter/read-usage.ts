import { deeperThan } from "../../shared/domain/json/measure-json.ts";
import type { TokenCount } from "../../shared/domain/price/model-price.ts";
import { bodyLimits } from "../limits.ts";
import type { Protocol } from "./protocol.ts";

type Json = Record<string, unknown>;

const objectAt = (value: unknown, name: string): Json | null => {
  const found = typeof value === "object" && value !== null ? (value as Json)[name] : null;
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Json) : null;
};

/** No answer has more tokens. A service that counts beyond belief, or below zero, is taken at this. */
const mostTokens = 100_000_000;

function count(from: Json | null, name: string): number {
  const value = from?.[name];
  return typeof value === "number" && Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), mostTokens) : 0;
}

/** Returns the JSON of an answer; null for what can't be read. */
export function readJson(text: string): unknown {
  if (deeperThan(text, bodyLimits.depth)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What an answer, or a piece of it, says of itself. */
export type AnswerUsage = { model: string | null; usage: TokenCount | null; isFailed: boolean };

/** `before`: what earlier pieces of the same answer said. */
export function readAnswerUsage(protocol: Protocol, value: unknown, before: TokenCount | null): AnswerUsage {
  const failed = objectAt(value, "error") !== null;
  if (protocol === "responses") {
    const response = objectAt(value, "response") ?? (value as Json | null);
    return { model: modelOf(response, "model"), usage: responsesUsage(objectAt(response, "usage")), isFailed: failed };
  }
  if (protocol === "anthropic") {
    const message = objectAt(value, "message") ?? (value as Json | null);
    const usage = anthropicUsage(objectAt(message, "usage"), before);
    return { model: modelOf(message, "model"), usage, isFailed: failed };
  }
  if (protocol === "google") {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    return {
      model: modelOf(last, "modelVersion"),
      usage: googleUsage(objectAt(last, "usageMetadata")),
      isFailed: failed,
    };
  }
  return { model: modelOf(value, "model"), usage: chatUsage(objectAt(value, "usage")), isFailed: failed };
}

function modelOf(value: unknown, name: string): string | null {
  const found = typeof value === "object" && value !== null ? (value as Json)[name] : null;
  return typeof found === "string" && found !== "" ? found.slice(0, 200) : null;
}

const chatUsage = (usage: Json | null): TokenCount | null =>
  usage && {
    input: count(usage, "prompt_tokens"),
    cached: count(objectAt(usage, "prompt_tokens_details"), "cached_tokens"),
    cache_write: 0,
    output: count(usage, "completion_tokens"),
  };

const responsesUsage = (usage: Json | null): TokenCount | null =>
  usage && {
    input: count(usage, "input_tokens"),
    cached: count(objectAt(usage, "input_tokens_details"), "cached_tokens"),
    cache_write: 0,
    output: count(usage, "output_tokens"),
  };

/** Anthropic counts what its cache had beside `input_tokens`. A stream's end tells the output, and its start the rest. */
function anthropicUsage(usage: Json | null, before: TokenCount | null): TokenCount | null {
  if (!usage) return null;
  const output = count(usage, "output_tokens");
  if (before && usage["input_tokens"] === undefined) return { ...before, output };
  const cached = count(usage, "cache_read_input_tokens");
  const cache_write = count(usage, "cache_creation_input_tokens");
  return { input: count(usage, "input_tokens") + cached + cache_write, cached, cache_write, output };
}

const googleUsage = (usage: Json | null): TokenCount | null =>
  usage && {
    input: count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount"),
    cached: count(usage, "cachedContentTokenCount"),
    cache_write: 0,
    output: count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
  };
