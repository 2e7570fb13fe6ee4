import { parseJsonText } from "../../shared/domain/json/parse-json-text.ts";

/**
 * Returns the answer to a question that a client sent as text: the JSON value that the text is, else the text. A question that
 * asks for a text gets it as it is.
 */
export function readAnswer(text: string, schema: Record<string, unknown> | null): unknown {
  if (schema?.["type"] === "string") return text;
  const value = parseJsonText(text);
  return value === undefined ? text : value;
}
