import { expect, test } from "vitest";
import { measureJson } from "../../../shared/domain/json/measure-json.ts";
import { openJson } from "../../../api/http/parse-json.ts";

const large = { depth: 99, values: 99 };
const open = (text: string) => openJson(Buffer.from(text), "application/json");

test("a text's values are counted without parsing it, a member twice, and what stands in strings not at all", () => {
  expect(measureJson('{"a": [1, "x,[{:", {}], "b\\"": null}', large)).toEqual({ depth: 3, values: 9 });
  expect(measureJson("1", large)).toEqual({ depth: 0, values: 1 });
  expect(open('{"a": 1}').parse()).toEqual({ a: 1 });
});

test.each([
  ["items", `[${"0,".repeat(250_000)}0]`],
  ["arrays", `[${"[],".repeat(130_000)}0]`],
  ["members", `{${Array.from({ length: 130_000 }, (_, n) => `"k${n}":1`).join()}}`],
  ["no JSON", `[${"0,".repeat(2_500_000)}`],
])("a body of too many %s is refused before it is parsed", (_name, text) => {
  expect(open(text).values).toBe(250_001);
  expect(() => open(text).parse()).toThrow("more than 250000 values");
});

test("a body of much text is none of many values", () => {
  const text = JSON.stringify({ files: { "a.csv": "1,2,[3],{4}\n".repeat(400_000) } });
  expect(open(text).values).toBeLessThan(10);
});
