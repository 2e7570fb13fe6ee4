import { z } from "zod";
import { runEvent } from "../../shared/schemas/run-event.ts";
import { streamExample } from "../../shared/schemas/stream-example.ts";
import { webhookMessage } from "../../shared/schemas/webhook-message.ts";
import { errorBody, validationErrorComponents } from "../../shared/schemas/validation-error.ts";
import type { Operation } from "./define-operation.ts";
import { folderTypes } from "./read-folder.ts";
import { describeErrors } from "./describe-errors.ts";
import { areas, introduction } from "./describe-service.ts";

type Json = Record<string, unknown>;
type Io = "input" | "output";

/**
 * Returns the OpenAPI 3.1 document of the operations. Schemas with a `.meta({ id })` become components. An id must have one
 * shape, so a named schema that is used for input and output must not have defaults. Throws when an id has two shapes.
 */
export function buildOpenApi(operations: readonly Operation<never>[]): Json {
  const components = new Map<string, Json>(Object.entries(validationErrorComponents));
  toJsonSchema(errorBody, "output", components);
  const shared = new Map<string, Json>([["validation_error", validationErrorResponse]]);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method] = describeOperation(operation, describeErrors(operation, shared), components);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Runfleet", version: "2.0.0", description: introduction },
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map(({ area }) => area))].map((name) => ({ name, description: areas[name] })),
    paths,
    webhooks: {
      message: {
        post: {
          tags: ["Webhooks"],
          summary: "A message to a webhook",
          description:
            "What a webhook receives, signed as Standard Webhooks says. A run's completion callback has the same form as the message of its end.",
          operationId: "receive_webhook_message",
          requestBody: {
            required: true,
            content: { "application/json": { schema: toJsonSchema(webhookMessage, "output", components) } },
          },
          responses: { "2XX": { description: "The message was received. Anything else is tried again, but for 410." } },
        },
      },
    },
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "With AUTH_MODE=key: an API key." },
        api_key: {
          type: "apiKey",
          in: "header",
          name: "X-Api-Key",
          description: "The same key, as some clients send it.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "runfleet_session",
          description:
            "The cookie of POST /v1/sessions; over https its name is `__Host-runfleet_session`. It counts for pages of this origin, and for writes with the header `X-Runfleet-Console: 1`.",
        },
      },
      responses: sortedByName(shared),
      schemas: sortedByName(components),
    },
  };
}

const sortedByName = (named: Map<string, Json>): Json =>
  Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));

function describeOperation(
  operation: Operation<never>,
  errors: Record<string, Json>,
  components: Map<string, Json>,
): Json {
  const { area, scope, summary, description, id, request, responses } = operation;
  const parameters = [
    ...parametersOf("path", request.params, components),
    ...parametersOf("query", request.query, components),
    ...parametersOf("header", request.headers, components),
  ];
  const mayRefuse = parameters.length > 0 || request.body !== undefined || operation.ignores !== "unknown_input";
  const answers = { ...errors };
  for (const [status, response] of Object.entries(responses)) answers[status] = describeResponse(response, components);
  if (mayRefuse) answers["422"] ??= { $ref: "#/components/responses/validation_error" };
  return {
    tags: [area],
    summary,
    ...(description ? { description } : {}),
    operationId: id,
    // The empty requirement stands for open mode, which needs no key.
    ...(scope === "public" ? {} : { security: [{}, { key: [scope] }, { api_key: [scope] }, { session: [scope] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request.body ? { requestBody: describeBody(request.body, operation.takesFolder, components) } : {}),
    responses: answers,
  };
}

const validationErrorResponse: Json = {
  description: "Validation Error",
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/HTTPValidationError" },
      example: {
        detail: [{ type: "string_type", loc: ["body", "name"], msg: "Input should be a valid string" }],
      },
    },
  },
};

function parametersOf(where: string, schema: z.ZodObject | undefined, components: Map<string, Json>): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...json } = toJsonSchema(field, "input", components);
    const required = where === "path" || !takesNothing(field);
    const style = where === "query" ? styleOf(json) : {};
    return { name, in: where, required, ...style, ...(description ? { description } : {}), schema: json };
  });
}

/** How a parameter of a query is written. Several values of one name have commas between them. */
function styleOf({ type, anyOf = [] }: Json): Json {
  if (type === "object") return { style: "deepObject", explode: true };
  return (anyOf as Json[]).some((either) => either["type"] === "array") ? { style: "form", explode: false } : {};
}

const takesNothing = (schema: z.core.$ZodType) => z.safeParse(schema, undefined).success;

const describeBody = (schema: z.ZodType, takesFolder: boolean, components: Map<string, Json>): Json => ({
  required: !takesNothing(schema),
  content: {
    "application/json": { schema: toJsonSchema(schema, "input", components) },
    ...(takesFolder ? { [folderTypes[0] ?? ""]: { schema: { type: "string", format: "binary" } } } : {}),
  },
});

/** OpenAPI 3.1 can't say what a stream's events are; generators of clients read it here. */
const eventsOf = (events: z.ZodType, components: Map<string, Json>): Json => ({
  "x-event-schema": toJsonSchema(events, "output", components),
});

const runStream = (components: Map<string, Json>): Json =>
  Object.fromEntries(
    Object.entries(streamExample).map(([type, example]) => {
      const events = type === "text/event-stream" ? eventsOf(runEvent, components) : {};
      return [type, { schema: { type: "string" }, ...events, example }];
    }),
  );

function describeResponse(response: Operation<never>["responses"][number], components: Map<string, Json>): Json {
  const { description, schema, content_type, example, streams, events } = response;
  if (!schema && !content_type) return { description };
  const media = {
    schema: schema
      ? toJsonSchema(schema, "output", components)
      : { type: content_type === "application/json" ? "object" : "string" },
    ...(events ? eventsOf(events, components) : {}),
    ...(example === undefined ? {} : { example }),
  };
  const own = { [content_type ?? "application/json"]: media };
  // The stream is listed first.
  const stream = streams ? runStream(components) : {};
  return { description, content: { ...stream, ...own, ...stream } };
}

/** Returns the JSON Schema of a zod schema. Named schemas in it are added to `components`. */
function toJsonSchema(schema: z.core.$ZodType, io: Io, components: Map<string, Json>): Json {
  // As a property, even a named root becomes a reference.
  const { properties, $defs } = z.toJSONSchema(z.object({ root: schema }), {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // Zod drops the default of an input schema that transforms.
      if (def.type === "default") jsonSchema.default = def.defaultValue;
      const example = z.globalRegistry.get(zodSchema)?.["example"];
      delete jsonSchema["example"];
      if (example !== undefined) jsonSchema.examples = [example];
      // Later releases may add fields, so other fields are not excluded.
      if (def.type === "object" && !def.catchall) delete jsonSchema.additionalProperties;
    },
  });
  const rewrite = (json: unknown): Json =>
    JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, definition] of Object.entries($defs ?? {})) {
    const { id: _, ...shape } = rewrite(definition);
    const known = components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(withDiscriminator(shape, $defs ?? {})))
      throw new Error(`OpenAPI: two schemas are named ${name}, or its input and output differ`);
    components.set(name, withDiscriminator(shape, $defs ?? {}));
  }
  return rewrite(properties?.["root"]);
}

/** Returns a union of named schemas with the property by which they are told apart, if there is one. */
function withDiscriminator(union: Json, named: Record<string, unknown>): Json {
  const { oneOf } = union as { oneOf?: { $ref?: string }[] };
  const refs = oneOf?.map(({ $ref = "" }) => $ref) ?? [];
  for (const propertyName of ["type", "event"]) {
    const words = refs.map((ref) => constOf(named[ref.slice(ref.lastIndexOf("/") + 1)], propertyName));
    if (words.length === 0 || words.some((word) => word === null)) continue;
    const mapping = Object.fromEntries(words.map((word, at) => [word, refs[at]]));
    return { ...union, discriminator: { propertyName, mapping } };
  }
  return union;
}

function constOf(schema: unknown, property: string): string | null {
  const { properties } = (schema ?? {}) as { properties?: Record<string, { const?: unknown }> };
  const word = properties?.[property]?.const;
  return typeof word === "string" ? word : null;
}
