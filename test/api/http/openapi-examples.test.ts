import { describe, expect, it } from "vitest";
import { operations as served } from "../../../api/operations.ts";
import { runEvent } from "../../../shared/schemas/run-event.ts";
import { exampleEvents } from "../../../shared/schemas/stream-example.ts";
import { type Json, faultOfValue, operations, resolveRef, tags } from "../../contract/openapi-document.ts";

type Place = { name: string; schema: Json; examples: unknown[] };

/** All JSON of the document: what operations take, answer, and answer to faults. */
const places: Place[] = operations.flatMap(({ operationId, body, responses }) => [
  ...(body ? [{ name: `${operationId} takes`, schema: body, examples: ofSchema(body) }] : []),
  ...Object.entries(responses).flatMap(([status, { content = {} }]): Place[] => {
    const { schema, example, examples } = content["application/json"] ?? {};
    if (!schema) return [];
    const own = Object.values(examples ?? {}).map(({ value }) => value);
    const all = [...(example === undefined ? [] : [example]), ...own];
    return [{ name: `${operationId} answers ${status}`, schema, examples: all.length > 0 ? all : ofSchema(schema) }];
  }),
]);

function ofSchema(schema: Json): unknown[] {
  const examples = schema["examples"] ?? resolveRef(schema)["examples"];
  return Array.isArray(examples) ? examples : [];
}

describe("the document at /docs", () => {
  it("sums up each operation", () => {
    expect(operations.length).toBeGreaterThan(100);
    expect(operations.filter(({ summary }) => summary === "")).toEqual([]);
  });

  it("says of each operation when to use it", () => {
    expect(operations.filter(({ description }) => description.length < 20).map(({ path }) => path)).toEqual([]);
  });

  it("types the events of each stream, and shows such events", () => {
    const media = operations.flatMap(({ operationId, responses }) => {
      const stream = responses["200"]?.content?.["text/event-stream"];
      return stream ? [{ operationId, ...stream }] : [];
    });
    expect(media.length).toBeGreaterThan(3);
    for (const { operationId, example, "x-event-schema": schema } of media) {
      expect([operationId, schema]).toEqual([
        operationId,
        { $ref: expect.stringMatching(/(Run|RunChange|Daemon|Build|Notification)Event$/) },
      ]);
      for (const message of String(example).split("\n\n").filter(Boolean)) {
        const { id, event, data } = Object.fromEntries(
          message.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        const json: unknown = JSON.parse(data ?? "");
        const shown = /Run(Change)?Event$/.test(String(schema?.["$ref"])) ? json : { id, event, data: json };
        expect([operationId, schema && faultOfValue(schema, shown)]).toEqual([operationId, null]);
      }
    }
  });

  it("shows a run's events as they are numbered: those before the first attempt belong to attempt 0", () => {
    expect(exampleEvents.map(({ type, attempt, seq }) => `${type} ${attempt}-${seq}`)).toEqual([
      "run.queued 0-1",
      "run.started 1-1",
      "output.delta 1-2",
      "run.success 1-3",
    ]);
    for (const event of exampleEvents) expect(runEvent.safeParse(event)).toMatchObject({ success: true });
  });

  it("shows an example of each body, each answer and each fault", () => {
    expect(places.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("says what each part of the service is for, and what each query parameter and header means", () => {
    expect(tags.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
    const silent = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ in: where, description }) => where !== "path" && !description)
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it("shows an example of what each path names", () => {
    const bare = operations.flatMap(({ path, parameters }) =>
      parameters
        .filter(({ in: where, schema }) => where === "path" && !schema["examples"])
        .map(({ name }) => path + name),
    );
    expect(bare).toEqual([]);
  });

  it("shows only examples that are what it says", () => {
    const faults = places.flatMap(({ name, schema, examples }) =>
      examples.flatMap((example) =>
        [faultOfValue(schema, example), unknownFields(schema, example)].map((fault) => ({ name, fault })),
      ),
    );
    expect(faults.filter(({ fault }) => fault !== null)).toEqual([]);
  });

  it("shows only bodies that the service takes", () => {
    const refused = served.filter(({ id, request }) => {
      const { examples = [] } = places.find(({ name }) => name === `${id} takes`) ?? {};
      return request.body && !request.body.safeParse(examples[0]).success;
    });
    expect(refused.map(({ id }) => id)).toEqual([]);
  });
});

/** A schema allows other fields, since answers may grow; an example that has them is out of date. */
function unknownFields(schema: Json, example: unknown): string | null {
  const { properties } = resolveRef(schema);
  if (!properties || typeof example !== "object" || example === null) return null;
  const unknown = Object.keys(example).filter((name) => !Object.hasOwn(properties, name));
  return unknown.length > 0 ? `has no ${unknown.join(", ")}` : null;
}
