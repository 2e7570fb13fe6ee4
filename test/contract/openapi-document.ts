import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export type Json = Record<string, unknown>;
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Json;
};
type Media = {
  schema: Json;
  "x-event-schema"?: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
type Content = Record<string, Media>;
type Answer = { content?: Content };
export type DocumentedOperation = {
  method: string;
  path: string;
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body: Json | null;
  responses: Record<string, Answer>;
};

export type SentAnswer = { status: number; type: string; text: string };

type RawOperation = Omit<DocumentedOperation, "method" | "path" | "body" | "responses"> & {
  requestBody?: { content: Content };
  responses: Record<string, Answer | { $ref: string }>;
};
type Document = {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Answer> };
};

const document: Document = JSON.parse(readFileSync("docs/openapi.json", "utf8"));

/** The parts of the service. */
export const { tags } = document;

/** What docs/openapi.json says that there is. */
export const operations: DocumentedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operationId: operation.operationId,
    summary: operation.summary,
    description: operation.description ?? "",
    parameters: operation.parameters ?? [],
    body: operation.requestBody?.content["application/json"]?.schema ?? null,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, answer]) => [status, resolveAnswer(answer)]),
    ),
  })),
);

function resolveAnswer(answer: Answer | { $ref: string }): Answer {
  if (!("$ref" in answer)) return answer;
  const found = document.components.responses[answer.$ref.replace("#/components/responses/", "")];
  if (!found) throw new Error(`${answer.$ref} is in no component`);
  return found;
}

/** The schema that a `$ref` of the document stands for. */
export function resolveRef(schema: Json): Json {
  const ref = schema["$ref"];
  if (typeof ref !== "string") return schema;
  const found = document.components.schemas[ref.replace("#/components/schemas/", "")];
  if (!found) throw new Error(`${ref} is in no component`);
  return found;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema({ $id: "doc", components: document.components });
const validators = new Map<string, ValidateFunction>();

/** Why an answer isn't what the document says of this operation; null when it is. */
export function faultOfAnswer(operation: DocumentedOperation, answer: SentAnswer): string | null {
  const { status, type, text } = answer;
  const documented = operation.responses[String(status)] ?? (status >= 400 && operation.responses["default"]);
  if (!documented) return `status ${status} is not documented`;
  if (!documented.content) return text === "" ? null : `status ${status} is documented without a body`;
  const mediaType = type.split(";")[0] ?? "";
  const media = documented.content[mediaType] ?? documented.content["*/*"];
  if (!media) return `status ${status} is not documented as ${mediaType || "nothing"}`;
  return mediaType === "application/json" ? faultOfValue(media.schema, JSON.parse(text)) : null;
}

/** Why a value isn't what a schema of the document says; null when it is. */
export function faultOfValue(schema: Json, value: unknown): string | null {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components', '"doc#/components')));
  validators.set(key, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** The operation that a request of this method and path is one of. */
export function findOperation(method: string, path: string): DocumentedOperation | undefined {
  const parts = path.split("?")[0]?.split("/") ?? [];
  const fits = (operation: DocumentedOperation): boolean => {
    const own = operation.path.split("/");
    const same = own.every((part, i) => part.startsWith("{") || part === parts[i]);
    return operation.method === method && own.length === parts.length && same;
  };
  // The one with the fewest places to fill: /v1/runs/bulk before /v1/runs/{run_id}.
  const places = ({ path: own }: DocumentedOperation): number => own.split("{").length;
  return operations.filter(fits).toSorted((a, b) => places(a) - places(b))[0];
}
