import { expect, test } from "vitest";
import { isHarmless, weigh } from "../../../../shared/platform/json-schema/is-harmless.ts";

test.each([
  [true],
  [{}],
  [{ type: "object", required: ["a"], properties: { a: { type: "string", maxLength: 9, format: "date" } } }],
  [{ items: [{ type: "string" }, true], additionalItems: false }],
  [{ anyOf: [{ const: { pattern: 1 } }, { not: { enum: [{ $ref: 1 }] } }] }],
  [{ properties: { pattern: { type: "string" }, $ref: { type: "number" } } }],
])("%j is applied where it is", (schema) => expect(isHarmless(schema)).toBe(true));

test.each([
  [{ pattern: "a" }],
  [{ properties: { a: { pattern: "a" } } }],
  [{ patternProperties: { a: true } }],
  [{ items: { uniqueItems: true } }],
  [{ $ref: "#" }],
  [{ $dynamicRef: "#a" }],
  [{ $recursiveRef: "#" }],
  [{ $defs: {} }],
  [{ items: [{ $ref: "#" }] }],
  [{ if: { not: { pattern: "a" } } }],
  [{ dependencies: { a: { pattern: "a" } } }],
  [{ unevaluatedProperties: false }],
  [{ properties: [] }],
  [{ allOf: {} }],
  [{ unheard: 1 }],
  [JSON.parse('{"properties": {"__proto__": {"pattern": "a"}}}')],
  [null],
])("%j is not", (schema) => expect(isHarmless(schema)).toBe(false));

test("a value weighs what it holds, and weighing stops at the limit", () => {
  expect(weigh({ a: [1, 2, "x"] }, 100)).toBeCloseTo(5, 0);
  expect(weigh("x".repeat(6_400), 1_000)).toBe(101);
  expect(weigh({ ["k".repeat(6_400)]: 1 }, 1_000)).toBe(102);
  expect(
    weigh(
      Array.from({ length: 1_000_000 }, () => 0),
      1_000,
    ),
  ).toBe(Infinity);
});
