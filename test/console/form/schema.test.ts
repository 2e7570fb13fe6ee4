import { expect, test } from "vitest";
import { firstValue, kindOf, resolve, type Schema } from "../../../console/form/schema.ts";

const kind = (schema: Schema, root: Schema = schema): string => kindOf(resolve(schema, root));

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
