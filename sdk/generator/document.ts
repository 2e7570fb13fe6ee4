/** A JSON Schema as the OpenAPI document has it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema | false;
  prefixItems?: Schema[];
  description?: string;
};

type Content = Record<string, { schema?: Schema; "x-event-schema"?: Schema }>;
type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Schema };
type DocumentOperation = {
  operationId: string;
  tags: [string];
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
};

export type Document = {
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, Schema> };
};

/**
 * Reads the document for clients. They read a stream's messages as the JSON of their data: where a schema describes a whole
 * message, with its `event` and `data`, it becomes the one of its data.
 */
export function readDocument(text: string): Document {
  const document = JSON.parse(text) as Document;
  const { schemas } = document.components;
  const events = Object.entries(schemas).map(([name, schema]) => [name, dataOf(schema)]);
  return { ...document, components: { schemas: Object.fromEntries(events) as Record<string, Schema> } };
}

function dataOf(schema: Schema): Schema {
  const { event, data } = schema.properties ?? {};
  if (event?.const === undefined || !data) return schema;
  return schema.description === undefined ? data : { ...data, description: schema.description };
}

/** What an operation answers. `raw`: bytes or text. */
export type Result =
  | { kind: "json"; schemas: Schema[] }
  | { kind: "page"; item: Schema }
  | { kind: "stream"; event: Schema }
  | { kind: "raw" }
  | { kind: "nothing" };

export type Operation = {
  /** The words of its object in a client: `runs`. */
  resource: string;
  /** In snake_case: `list_events`. */
  name: string;
  summary: string;
  method: string;
  path: string;
  pathParameters: string[];
  query: { name: string; required: boolean; schema: Schema; description: string | undefined }[];
  body: { schema: Schema; required: boolean; isBinaryToo: boolean } | null;
  result: Result;
  /** Takes an Idempotency-Key. */
  isKeyed: boolean;
  /** Answers with a stream unless it is asked not to. */
  prefersStream: boolean;
};

/** Returns the operations that clients have methods for. Throws when two would have the same name. */
export function readOperations(document: Document): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const operations = all.filter((one) => !isForOthers(one)).map((one) => readOperation(document, one));
  const names = operations.map(({ resource, name }) => `${resource}.${name}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`Two operations would be ${twice}. Give one of them another name.`);
  return operations;
}

type Placed = DocumentOperation & { path: string; method: string };

/** Pages for browsers, and what foreign services and the Docs page call. */
const isForOthers = ({ path, responses }: Placed): boolean =>
  /^\/(hooks|answer|docs|redoc)\b|\/webhook-event$/.test(path) || Boolean(responses["200"]?.content?.["text/html"]);

function readOperation(document: Document, one: Placed): Operation {
  const { path, method, summary, parameters = [], requestBody } = one;
  const result = readResult(document, one);
  const contents = Object.keys(requestBody?.content ?? {});
  const schema = requestBody?.content["application/json"]?.schema;
  return {
    ...nameOf(one),
    summary,
    method,
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    // A stream's format and cursor are the client's own.
    query: parameters
      .filter(({ in: place, name }) => place === "query" && name !== "format")
      .concat(result.kind === "raw" ? parameters.filter(({ name }) => name === "format") : [])
      .map(({ name, required, schema: type, description }) => ({ name, required, schema: type, description })),
    body:
      requestBody && schema
        ? { schema, required: requestBody.required, isBinaryToo: contents.includes("application/gzip") }
        : null,
    result,
    isKeyed: parameters.some(({ name }) => name === "idempotency-key"),
    prefersStream: parameters.some(({ name }) => name === "prefer"),
  };
}

/** `list_run_events` of Runs is `runs.list_events`: the name without the words of its area. */
function nameOf({ operationId, tags: [tag] }: Placed): { resource: string; name: string } {
  const resource = tag.toLowerCase();
  const name = operationId.slice(0, operationId.search(/_(v1|_get|health_|metrics_|openapi_)/));
  const own = new Set([resource, resource.replace(/s$/, "")]);
  const [verb = "", ...words] = name.split("_");
  return { resource, name: [verb, ...words.filter((word) => !own.has(word))].join("_") };
}

function readResult(document: Document, { method, parameters = [], responses }: Placed): Result {
  const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const contents = good.flatMap(([, { content }]) => (content ? [content] : []));
  const schemas = contents.flatMap((content) => content["application/json"]?.schema ?? []);
  const event = contents.map((content) => content["text/event-stream"]?.["x-event-schema"]).find(Boolean);
  if (event && schemas.length === 0) return { kind: "stream", event };
  const [first] = schemas;
  if (!first) return contents.length === 0 ? { kind: "nothing" } : { kind: "raw" };
  const { properties = {} } = resolve(document, first);
  const item = properties["data"]?.items;
  const isPaged = method === "GET" && parameters.some(({ name }) => name === "after") && isPage(properties);
  return item && isPaged ? { kind: "page", item } : { kind: "json", schemas };
}

/** True for what a client's `Pages` can read on from. Of an answer that says more than a page, the rest would be lost. */
function isPage(properties: object): boolean {
  const names = Object.keys(properties);
  const hasCursor = names.some((name) => name === "last_id" || name === "last_place");
  return hasCursor && names.every((name) => ["data", "has_more", "first_id", "last_id", "last_place"].includes(name));
}

export const refName = (schema: Schema): string | undefined => schema.$ref?.split("/").at(-1);

function resolve(document: Document, schema: Schema): Schema {
  const name = refName(schema);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}
