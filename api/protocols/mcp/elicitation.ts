import { parseJsonText } from "../../../shared/domain/json/parse-json-text.ts";
import type { OpenInterrupt } from "../../../shared/schemas/run-event.ts";

type Schema = Record<string, unknown>;

/** The field of a form that asks for one value. */
const field = "response";

/**
 * How an interrupt is asked for: as a form, whose fields are scalars (modelcontextprotocol.io, "Elicitation"). `fields`: the schema
 * is such a form itself. `value`: one scalar. `json`: anything else, as JSON text.
 */
type Form = { kind: "fields"; schema: Schema } | { kind: "value"; schema: Schema } | { kind: "json"; schema: Schema };

function formOf(schema: Schema | null): Form {
  if (schema === null) return { kind: "value", schema: { type: "string" } };
  if (isScalar(schema)) return { kind: "value", schema };
  const { properties } = schema;
  const isFlat =
    isObject(properties) && Object.keys(properties).length > 0 && Object.values(properties).every(isScalar);
  return { kind: schema["type"] === "object" && isFlat ? "fields" : "json", schema };
}

/** Returns the parameters of `elicitation/create`. */
export function elicitationOf({ message, reason, response_schema }: OpenInterrupt): object {
  const { kind, schema } = formOf(response_schema);
  const asked = message ?? reason;
  if (kind === "fields") {
    const { properties, required } = schema;
    const requestedSchema = { type: "object", properties, ...(Array.isArray(required) ? { required } : {}) };
    return { mode: "form", message: asked, requestedSchema };
  }
  const isJson = kind === "json";
  const text = isJson ? `${asked}\nAnswer with JSON of this schema: ${JSON.stringify(schema)}` : asked;
  const property = isJson ? { type: "string", title: "JSON" } : { title: "Answer", ...schema };
  return {
    mode: "form",
    message: text,
    requestedSchema: { type: "object", properties: { [field]: property }, required: [field] },
  };
}

/** What a client's answer means for the run. */
export type Reply = { kind: "resume"; response: unknown } | { kind: "cancel" };

/**
 * Returns what an answer means. A refusal is an answer where the schema leaves room for it: false for a boolean, null without a
 * schema. Any other refusal ends the run.
 */
export function replyOf(schema: Schema | null, action: string, content: Record<string, unknown>): Reply {
  if (action === "accept") return { kind: "resume", response: responseOf(formOf(schema), content) };
  if (action === "decline" && schema === null) return { kind: "resume", response: null };
  if (action === "decline" && schema?.["type"] === "boolean") return { kind: "resume", response: false };
  return { kind: "cancel" };
}

function responseOf({ kind }: Form, content: Record<string, unknown>): unknown {
  if (kind === "fields") return content;
  const value = content[field];
  return kind === "json" && typeof value === "string" ? parseOrText(value) : value;
}

/** Text that is no JSON is left as it is: the interrupt's schema then refuses it. */
function parseOrText(text: string): unknown {
  const value = parseJsonText(text);
  return value === undefined ? text : value;
}

const scalars = new Set(["string", "number", "integer", "boolean"]);
const isScalar = (schema: unknown): boolean => isObject(schema) && scalars.has(String(schema["type"]));
const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
