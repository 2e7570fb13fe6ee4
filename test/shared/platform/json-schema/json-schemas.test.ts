import { afterAll, expect, test } from "vitest";
import { createJsonSchemas } from "../../../../shared/platform/json-schema/json-schemas.ts";

const schemas = createJsonSchemas();
afterAll(() => schemas.close());

const faultsOf = (schema: Record<string, unknown>, value: unknown) => schemas.faultsOf("ada", schema, value);
const evil = { properties: { text: { pattern: "^(a+)+$" } } };
const bait = { text: `${"a".repeat(60)}b` };
const unchecked = (why: string) => ({ unchecked: expect.stringContaining(why), mayPass: why !== "3 times" });

test("a fault names its place, and a missing field is said in FastAPI's words, whichever thread finds it", async () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: { "a/b": { type: "array", items: { type: "integer" } } },
  };
  for (let times = 0; times < 3; times += 1) {
    expect(await faultsOf(schema, { "a/b": [1, "x"] })).toEqual([
      { type: "missing", loc: ["name"], msg: "Field required" },
      { type: "value_error", loc: ["a/b", 1], msg: "Value error, must be integer" },
    ]);
    expect(await faultsOf(schema, { name: 1 })).toEqual([]);
  }
});

test("drafts 7 and 2020-12 are both understood, and unknown formats and keywords are let be", async () => {
  const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] };
  for (let times = 0; times < 3; times += 1) {
    expect(await faultsOf(draft7, [1])).toHaveLength(1);
    expect(await faultsOf({ prefixItems: [{ type: "string" }], format: "date", "x-mine": 1 }, [1])).toHaveLength(1);
  }
});

test.each([
  ["no schema at all", { type: "strin" }],
  ["one that refers elsewhere", { $ref: "https://example.com/schema" }],
  ["a pattern that is none", { pattern: "(" }],
  ["an asynchronous one", { $async: true, type: "object" }],
  ["one that is too long", { description: "x".repeat(300_000) }],
])("%s is told, and nothing is fetched", async (_name, schema) => {
  expect(await schemas.schemaFault("ada", schema)).toEqual(expect.any(String));
});

test("while a pattern backtracks, this thread goes on and others' schemas are applied; then its owner is refused", async () => {
  expect(await schemas.schemaFault("eve", evil)).toBeNull();
  const late = Array.from({ length: 87 }, () => schemas.faultsOf("eve", evil, bait));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  for (let n = 0; n < 20; n += 1)
    expect(await schemas.faultsOf("bob", { properties: { a: { pattern: "^b$" } } }, { a: "c" })).toHaveLength(1);
  const reasons = (await Promise.all(late)).map((answer) => ("unchecked" in answer ? answer.unchecked : "checked"));
  clearInterval(timer);
  // Three deadlines of 500 ms went by, of 100 turns each. A thread that applied the pattern itself would have had none.
  expect(turns).toBeGreaterThan(60);
  expect(reasons.filter((why) => why.includes("longer than 500 ms 3 times"))).toHaveLength(62);
  expect(reasons.filter((why) => why.endsWith("longer than 500 ms"))).toHaveLength(3);
  expect(reasons.filter((why) => why.includes("waiting already"))).toHaveLength(22);
  expect(await schemas.faultsOf("eve", evil, bait)).toEqual(unchecked("3 times"));
  // What is asked again counts against its owner once.
  for (const isRepeat of [false, true, true, true])
    expect(await schemas.faultsOf("flo", evil, bait, isRepeat)).toEqual(unchecked("longer than"));
  expect(await schemas.faultsOf("bob", evil, { text: "aaa" })).toEqual([]);
});

test("a schema without an end, and one whose check takes all memory, end nothing but their own check", async () => {
  expect(await schemas.faultsOf("cy", { $ref: "#" }, 1)).toEqual([
    expect.objectContaining({ msg: expect.stringContaining("could not be checked") }),
  ]);
  const greedy = { items: { anyOf: Array.from({ length: 2_000 }, (_, n) => ({ required: [`x${n}`] })) } };
  const many = Array.from({ length: 20_000 }, () => ({}));
  expect(await schemas.faultsOf("cy", greedy, many)).toEqual(unchecked("longer than"));
  expect(await schemas.faultsOf("bob", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, 1)).toHaveLength(1);
});

test("an answer that has come counts, however long this thread stood still", async () => {
  const schema = { properties: { a: { pattern: "^b$" } } };
  expect(await schemas.faultsOf("dan", schema, { a: "b" })).toEqual([]);
  const asked = schemas.faultsOf("dan", schema, { a: "c" });
  // The thread has the question, and this one looks at nothing until the deadline is over.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  for (const end = performance.now() + 800; performance.now() < end;);
  expect(await asked).toHaveLength(1);
});
