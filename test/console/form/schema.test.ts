import { expect, test } from "vitest";
import { changeField, firstValue, kindOf, resolve, type Schema } from "../../../console/form/schema.ts";

const kind = (schema: Schema, root: Schema = schema): string => kindOf(resolve(schema, root), root);

test("each type has its control, and what a form can't show is JSON", () => {
  expect(kind({ type: "string" })).toBe("text");
  expect(kind({ type: "string", maxLength: 5_000 })).toBe("long text");
  expect(kind({ type: ["integer", "null"] })).toBe("number");
  expect(kind({ type: "boolean" })).toBe("switch");
  expect(kind({ enum: ["a", 1, null] })).toBe("choice");
  expect(kind({ type: "array", items: { type: "string" } })).toBe("list");
  expect(kind({ type: "array", items: { type: "object" } })).toBe("json");
  expect(kind({ type: "object", properties: { a: {} } })).toBe("group");
  expect(kind({ type: "object" })).toBe("json");
  expect(kind({ anyOf: [{ type: "string" }, { type: "number" }] })).toBe("json");
  expect(kind({})).toBe("json");
});

test("schemas as pydantic writes them: references, and types that may be null", () => {
  const root: Schema = {
    type: "object",
    required: ["customer"],
    properties: {
      customer: { $ref: "#/$defs/Customer" },
      note: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    },
    $defs: {
      Customer: { type: "object", required: ["name"], properties: { name: { type: "string", examples: ["Ada"] } } },
      Loop: { $ref: "#/$defs/Loop" },
    },
  };
  expect(kind(root.properties?.["customer"] ?? {}, root)).toBe("group");
  expect(kind(root.properties?.["note"] ?? {}, root)).toBe("text");
  expect(kind({ $ref: "#/$defs/Loop" }, root)).toBe("json");
  expect(kind({ $ref: "#/elsewhere" }, root)).toBe("json");
  expect(firstValue(root, root)).toEqual({ customer: { name: "Ada" }, note: null });
});

const flag: Schema = { type: "boolean" };

test("a required box without a tick is false from the beginning; one that may be left out is left out", () => {
  const schema: Schema = {
    type: "object",
    required: ["why", "approved", "urgent", "more"],
    properties: {
      why: { type: "string", examples: ["late"] },
      approved: flag,
      urgent: { ...flag, default: true },
      loud: flag,
      more: { type: "object", required: ["gift"], properties: { gift: flag, note: { type: "string" } } },
    },
  };
  const first = firstValue(schema, schema);
  expect(first).toEqual({ why: "late", approved: false, urgent: true, more: { gift: false } });
  expect(Object.keys(first)).toEqual(["why", "approved", "urgent", "more"]);
});

test("a change keeps the order of the form, leaves out what is empty, and sends the boxes as they are shown", () => {
  const root: Schema = { $defs: { Flag: flag } };
  const schema: Schema = {
    type: "object",
    required: ["approved"],
    properties: { first: { type: "string" }, approved: { $ref: "#/$defs/Flag" }, loud: flag, last: { type: "string" } },
  };
  const begun = changeField({ schema, root, value: { extra: 1 } }, "last", "z");
  expect(Object.entries(begun)).toEqual([
    ["approved", false],
    ["last", "z"],
    ["extra", 1],
  ]);
  const whole = changeField({ schema, root, value: { ...begun, approved: true } }, "first", "a");
  expect(Object.entries(whole)[0]).toEqual(["first", "a"]);
  expect(changeField({ schema, root, value: whole }, "last", undefined)).toEqual({
    first: "a",
    approved: true,
    extra: 1,
  });
});

test("a schema that refers to itself, or has very many fields, is edited as JSON where it does", () => {
  const node = { $ref: "#/$defs/Node" };
  const pair = (name: string): Schema => ({
    type: "object",
    required: ["a", "b"],
    properties: { a: { $ref: `#/$defs/${name}` }, b: { $ref: `#/$defs/${name}` } },
  });
  const pairs = Array.from({ length: 40 }, (_, at) => [`P${at}`, pair(`P${at + 1}`)] as const);
  const root: Schema = {
    type: "object",
    required: ["must", "pairs", "small"],
    properties: {
      node,
      must: { $ref: "#/$defs/Must" },
      pairs: { $ref: "#/$defs/P0" },
      small: { $ref: "#/$defs/P35" },
    },
    $defs: {
      Node: {
        type: "object",
        properties: { text: { type: "string" }, next: { anyOf: [node, { type: "null" }], default: null } },
      },
      Must: { type: "object", required: ["self"], properties: { self: { $ref: "#/$defs/Must" } } },
      Maybe: { anyOf: [{ $ref: "#/$defs/Maybe" }, { type: "null" }] },
      ...Object.fromEntries(pairs),
      P40: { type: "boolean" },
    },
  };
  expect(kind(root, root)).toBe("json");
  expect(kind(node, root)).toBe("json");
  expect(kind({ $ref: "#/$defs/Maybe" }, root)).toBe("json");
  expect(kind({ $ref: "#/$defs/P0" }, root)).toBe("json");
  expect(kind({ $ref: "#/$defs/P35" }, root)).toBe("group");
  const first = firstValue(root, root);
  expect(Object.keys(first)).toEqual(["small"]);
  expect(JSON.stringify(first).match(/false/g)).toHaveLength(32);
});
