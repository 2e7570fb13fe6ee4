import { expect, test } from "vitest";
import { createJsonSchemas } from "../../shared/json-schema.ts";

const schemas = createJsonSchemas();

test("a fault names its place, and a missing field is said in FastAPI's words", () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: { "a/b": { type: "array", items: { type: "integer" } } },
  };
  expect(schemas.faultsOf(schema, { "a/b": [1, "x"] })).toEqual([
    { type: "missing", loc: ["name"], msg: "Field required" },
    { type: "value_error", loc: ["a/b", 1], msg: "Value error, must be integer" },
  ]);
  expect(schemas.faultsOf(schema, { name: 1 })).toEqual([]);
});

test("drafts 7 and 2020-12 are both understood, and unknown formats and keywords are let be", () => {
  const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] };
  expect(schemas.faultsOf(draft7, [1])).toHaveLength(1);
  expect(schemas.faultsOf({ prefixItems: [{ type: "string" }], format: "date", "x-mine": 1 }, [1])).toHaveLength(1);
});

test.each([
  ["no schema at all", { type: "strin" }],
  ["one that refers elsewhere", { $ref: "https://example.com/schema" }],
  ["a pattern that is none", { pattern: "(" }],
  ["an asynchronous one", { $async: true, type: "object" }],
])("%s is told, and nothing is fetched", (_name, schema) => {
  expect(schemas.schemaFault(schema)).toEqual(expect.any(String));
});

test("a pattern that would backtrack for years, or a schema without an end, is broken off", () => {
  const evil = { properties: { text: { pattern: "^(a+)+$" } } };
  expect(schemas.schemaFault(evil)).toBeNull();
  const started = performance.now();
  expect(schemas.faultsOf(evil, { text: `${"a".repeat(60)}b` })).toEqual([
    expect.objectContaining({ msg: expect.stringContaining("could not be checked") }),
  ]);
  expect(schemas.faultsOf({ $ref: "#" }, 1)).toEqual([expect.objectContaining({ type: "value_error" })]);
  expect(performance.now() - started).toBeLessThan(2_000);
});
