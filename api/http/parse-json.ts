import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { findJsonFault } from "./json-fault.ts";
import { type JsonSize, measureJson } from "../../shared/domain/json/measure-json.ts";

/** A body whose size is known before it is parsed. */
export type UnreadBody = {
  /** See `JsonSize`. */
  values: number;
  /**
   * Returns the body as FastAPI sees it: undefined when it is empty, a string when its type is not JSON (no model accepts a
   * string, so there is no 415), else the parsed value. Throws ValidationFault for invalid, too deep and too large JSON.
   */
  parse(): unknown;
};

/** Measures a body, so that it can be counted before it is parsed. Throws ValidationFault for invalid UTF-8. */
export function openJson(bytes: Buffer, contentType: string | undefined): UnreadBody {
  if (bytes.length === 0) return { values: 0, parse: () => undefined };
  if (!isJsonType(contentType)) return { values: 0, parse: () => bytes.toString() };
  const text = decode(bytes);
  const { json_depth, json_values } = requestLimits;
  const size = measureJson(text, { depth: json_depth, values: json_values });
  return { values: size.values, parse: () => parse(text, size) };
}

function parse(text: string, { depth, values }: JsonSize): unknown {
  const { json_depth, json_values } = requestLimits;
  if (depth > json_depth) throw tooLarge(`JSON nested deeper than ${json_depth} levels`);
  if (values > json_values)
    throw tooLarge(`JSON of more than ${json_values} values, where a member of an object counts twice`);
  try {
    return JSON.parse(text);
  } catch {
    const { position, error } = findJsonFault(text);
    throw invalidJson(position, error);
  }
}

const tooLarge = (message: string) =>
  new ValidationFault([{ type: "value_error", loc: ["body"], msg: `Value error, ${message}` }]);

const invalidJson = (position: number, error: string) =>
  new ValidationFault([{ type: "json_invalid", loc: ["body", position], msg: "JSON decode error", ctx: { error } }]);

function isJsonType(contentType = ""): boolean {
  const mediaType = contentType.split(";", 1)[0] ?? "";
  return /^application\/(?:[^/\s]+\+)?json$/i.test(mediaType.trim());
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Skips a byte order mark, as Python does. */
function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidJson(0, "Invalid UTF-8");
  }
}
