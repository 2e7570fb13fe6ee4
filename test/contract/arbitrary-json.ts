import fc from "fast-check";
import { type Json, resolveRef } from "./openapi-document.ts";

const anything = fc.jsonValue({ maxDepth: 2 });
const deepest = 5;

/** Values of a JSON Schema, as far as a generator can tell: patterns and formats are met where they are simple. */
export function valid(schema: Json, depth = 0): fc.Arbitrary<unknown> {
  const shape = resolveRef(schema);
  if (depth > deepest) return fc.constant(null);
  const choices = (shape["anyOf"] ?? shape["oneOf"]) as Json[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => valid(choice, depth + 1)));
  if ("const" in shape) return fc.constant(shape["const"]);
  if (Array.isArray(shape["enum"])) return fc.constantFrom(...shape["enum"]);
  const examples = shape["examples"];
  const typed = ofType(shape, depth);
  return Array.isArray(examples) ? fc.oneof(typed, fc.constantFrom(...examples)) : typed;
}

function ofType(shape: Json, depth: number): fc.Arbitrary<unknown> {
  const bound = (name: string, otherwise: number): number => Number(shape[name] ?? otherwise);
  switch (shape["type"]) {
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "integer":
      return fc.integer({ min: Math.max(bound("minimum", 0), -1e9), max: Math.min(bound("maximum", 1e6), 1e9) });
    case "number":
      return fc.double({ min: bound("minimum", -1e6), max: bound("maximum", 1e6), noNaN: true });
    case "string":
      return text(shape);
    case "array":
      return fc.array(valid((shape["items"] ?? {}) as Json, depth + 1), {
        minLength: bound("minItems", 0),
        maxLength: 3,
      });
    case "object":
      return object(shape, depth);
    default:
      return anything;
  }
}

function text(shape: Json): fc.Arbitrary<string> {
  if (typeof shape["pattern"] === "string") {
    const pattern = shape["pattern"];
    return fc.constant(null).chain(() => fc.stringMatching(new RegExp(pattern)));
  }
  if (shape["format"] === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (shape["format"] === "uri") return fc.webUrl();
  const minLength = Number(shape["minLength"] ?? 0);
  return fc.string({
    minLength,
    maxLength: Math.min(Number(shape["maxLength"] ?? 24), minLength + 24),
    unit: "binary",
  });
}

function object(shape: Json, depth: number): fc.Arbitrary<Json> {
  const properties = Object.entries((shape["properties"] ?? {}) as Record<string, Json>);
  const requiredKeys = (shape["required"] ?? []) as string[];
  const own = fc.record(Object.fromEntries(properties.map(([name, schema]) => [name, valid(schema, depth + 1)])), {
    requiredKeys,
  }) as fc.Arbitrary<Json>;
  const more = shape["additionalProperties"];
  if (typeof more !== "object" || more === null) return own;
  const rest = fc.dictionary(fc.string({ maxLength: 12 }), valid(more as Json, depth + 1), { maxKeys: 3 });
  return fc.tuple(own, rest).map(([a, b]) => ({ ...b, ...a }));
}

/** The same value with one thing wrong somewhere: a key lost, another type, too much of it, something unknown. */
export function spoilt(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(
    anything,
    fc.constantFrom(null, "", -1, 1e308, "x".repeat(70_000), "\u0000", [], {}, "9".repeat(400)),
  );
  return fc.tuple(value, wrong, fc.nat(), fc.constantFrom("lose", "replace", "add")).map(([whole, bad, where, how]) => {
    if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return bad;
    const keys = Object.keys(whole);
    const key = keys[where % Math.max(1, keys.length)] ?? "extra";
    if (how === "lose") return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));
    return { ...whole, [how === "add" ? "unknown_field" : key]: bad };
  });
}
