import { ValidationFault } from "../../shared/validation-fault.ts";
import { requestLimits } from "../../shared/run/limits.ts";
import { findJsonFault } from "./json-fault.ts";
import { deeperThan } from "../../shared/run/json-depth.ts";

/**
 * A body as FastAPI sees it: undefined when it is empty, text when its type isn't JSON's (which no model takes, so
 * there is no 415), else the parsed value. Throws ValidationFault on bad UTF-8, bad JSON and on too deep nesting.
 */
export function parseJson(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (!isJsonType(contentType)) return bytes.toString();
  const text = decode(bytes);
  const depth = requestLimits.json_depth;
  if (deeperThan(text, depth))
    throw new ValidationFault([
      { type: "value_error", loc: ["body"], msg: `Value error, JSON nested deeper than ${depth} levels` },
    ]);
  try {
    return JSON.parse(text);
  } catch {
    const { position, error } = findJsonFault(text);
    throw invalidJson(position, error);
  }
}

const invalidJson = (position: number, error: string) =>
  new ValidationFault([{ type: "json_invalid", loc: ["body", position], msg: "JSON decode error", ctx: { error } }]);

function isJsonType(contentType = ""): boolean {
  const mediaType = contentType.split(";", 1)[0] ?? "";
  return /^application\/(?:[^/\s]+\+)?json$/i.test(mediaType.trim());
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A byte order mark is skipped, as Python does. */
function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidJson(0, "Invalid UTF-8");
  }
}
