import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  choice,
  clientId,
  httpUrl,
  jsonArray,
  jsonObject,
  laxBool,
  laxFloat,
  laxInt,
  stringMap,
  text,
  timestamp,
} from "../../../shared/schemas/primitives.ts";

/** The value, or the type of the first fault. */
function read(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return issue?.code === "custom" ? issue.params?.["type"] : issue?.code;
}

// As pydantic 2.13 does in its lax mode.
it.each([
  ["12", 12],
  [" 7 ", 7],
  ["+3", 3],
  ["1_000", 1000],
  ["2.0", 2],
  [2.0, 2],
  [true, 1],
  [-0.5, "int_from_float"],
  ["1.5", "int_parsing"],
  ["1e3", "int_parsing"],
  ["", "int_parsing"],
  ["0x10", "int_parsing"],
  [2 ** 53, "int_parsing_size"],
  [Infinity, "int_parsing_size"],
  ["99999999999999999999", "int_parsing_size"],
  [null, "int_type"],
  [[], "int_type"],
  [undefined, "missing"],
])("laxInt reads %j as %j", (value, expected) => {
  expect(read(laxInt(), value)).toBe(expected);
});

it.each([
  ["1.5", 1.5],
  [" -.5e1 ", -5],
  ["1.", 1],
  [true, 1],
  ["", "float_parsing"],
  ["0x10", "float_parsing"],
  ["nan", "finite_number"],
  ["-Infinity", "finite_number"],
  [Infinity, "finite_number"],
  [null, "float_type"],
])("laxFloat reads %j as %j", (value, expected) => {
  expect(read(laxFloat(), value)).toBe(expected);
});

it.each([
  ["YES", true],
  ["off", false],
  [0, false],
  [1, true],
  ["", "bool_parsing"],
  [2, "bool_parsing"],
  [[], "bool_type"],
])("laxBool reads %j as %j", (value, expected) => {
  expect(read(laxBool(), value)).toBe(expected);
});

describe("text", () => {
  it("counts characters as Python does, so that an emoji is one", () => {
    expect(read(text({ max: 2 }), "😀😀")).toBe("😀😀");
    expect(read(text({ max: 2 }), "😀😀a")).toBe("string_too_long");
    expect(read(text({ min: 3 }), "😀😀")).toBe("string_too_short");
  });

  it("never lets through what Postgres can't hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(typeof read(text(), value)).toBe("string");
        const holds = Buffer.from(value).toString() === value && !value.includes("\0");
        expect(text().safeParse(value).success).toBe(holds);
      }),
    );
    expect(read(text(), "a\0b")).toBe("value_error");
    expect(read(text(), "\ud800")).toBe("string_unicode");
  });
});

it.each(["r1", "a:b", "A.b_c@d-e", "0", "a".repeat(128)])("clientId takes %s", (id) => {
  expect(read(clientId(), id)).toBe(id);
});
it.each(["", " ", "-a", "../x", "a/b", "é", "a\n", "a".repeat(129)])("clientId refuses %j", (id) => {
  expect(clientId().safeParse(id).success).toBe(false);
});

describe("free-form values", () => {
  it("are handed on as they are, by reference, a key named __proto__ included", () => {
    const object: unknown = JSON.parse('{"__proto__":{"a":1},"b":[]}');
    expect(jsonObject().parse(object)).toBe(object);
    const map: unknown = JSON.parse('{"__proto__":"x"}');
    expect(stringMap().parse(map)).toBe(map);
    const list = [1, null];
    expect(jsonArray().parse(list)).toBe(list);
  });

  it("have a greatest size where one is set", () => {
    expect(read(stringMap({ max: 1 }), { a: "", b: "" })).toBe("too_long");
    expect(read(jsonArray({ max: 1 }), [1, 2])).toBe("too_long");
  });
});

it("choice takes its words only", () => {
  expect(read(choice(["on", "off"]), "off")).toBe("off");
  for (const value of ["ON", 1, null, "toString"]) expect(read(choice(["on", "off"]), value)).toBe("enum");
});

it.each([
  ["https://example.com/a?b#c", "https://example.com/a?b#c"],
  ["//host/x", "url_parsing"],
  ["javascript:alert(1)", "url_scheme"],
  ["http://", "url_parsing"],
  [`https://e.com/${"a".repeat(2048)}`, "string_too_long"],
  [5, "url_type"],
])("httpUrl reads %j as %j", (value, expected) => {
  expect(read(httpUrl(), value)).toBe(expected);
});

it.each([
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
  ["2026-01-02T03:04:05.5+02:00", "2026-01-02T01:04:05.500Z"],
  ["2026-01-02 03:04", "2026-01-02T03:04:00.000Z"],
  ["2026-01-02", "2026-01-02T00:00:00.000Z"],
])("timestamp reads %s as %s", (value, expected) => {
  expect(timestamp().parse(value).toISOString()).toBe(expected);
});
it.each(["", "yesterday", "2026-02-30", "2026-13-01", "2026-01-02T25:00:00Z", "1767323045x", 5])(
  "timestamp refuses %j",
  (value) => {
    expect(timestamp().safeParse(value).success).toBe(false);
  },
);
