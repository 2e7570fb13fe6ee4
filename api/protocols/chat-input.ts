import { parseJsonText } from "../../shared/domain/json/parse-json-text.ts";

/** A message of a conversation as an agent gets it. Fields that only one protocol has are kept. */
export type ChatMessage = { role: string; content: unknown; [field: string]: unknown };

export type ChatFields = { prompt: string; messages: ChatMessage[]; [field: string]: unknown };

/**
 * Returns the input of an agent that is talked to. Without an `input_schema` it has all fields. With one it has those that the
 * schema names. A schema that names neither `prompt` nor `messages` is met by a prompt that is a JSON object; or, if it has just
 * one text, by the prompt as that text.
 */
export function chatInput(schema: Record<string, unknown> | undefined, fields: ChatFields): Record<string, unknown> {
  const properties = objectOf(schema?.["properties"]);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (properties === null) return given;
  const named = Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(properties, name)));
  if ("prompt" in named || "messages" in named) return named;
  const typed = objectOf(parseJsonText(fields.prompt));
  if (typed !== null) return { ...typed, ...named };
  const texts = Object.keys(properties).filter((name) => objectOf(properties[name])?.["type"] === "string");
  const [only, ...others] = texts;
  return only !== undefined && others.length === 0 ? { ...named, [only]: fields.prompt } : given;
}

const objectOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

/** Returns the text of a message's content: a string, or a list of parts of which some are text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => objectOf(part)?.["text"])
    .filter((text) => typeof text === "string")
    .join("");
}

/** Returns content of nothing but text as one string, and any other content as it is. */
export function plainContent(content: unknown): unknown {
  const isText = (part: unknown) => typeof objectOf(part)?.["text"] === "string";
  return Array.isArray(content) && content.length > 0 && content.every(isText) ? textOf(content) : content;
}

/** Returns the text of the last message of the user. */
export const promptOf = (messages: readonly ChatMessage[]): string =>
  textOf(messages.findLast(({ role }) => role === "user")?.content);
