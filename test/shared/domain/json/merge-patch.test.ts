import { expect, test } from "vitest";
import { mergePatch } from "../../../../shared/domain/json/merge-patch.ts";

/** https://datatracker.ietf.org/doc/html/rfc7396#appendix-A, those whose patch is an object. */
const cases: [target: unknown, patch: Record<string, unknown>, result: unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test.each(cases)("%j patched with %j is %j", (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

test("a key __proto__ is a key like any other", () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>);
  expect(Object.keys(merged)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
});
