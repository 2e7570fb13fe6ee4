/** Keywords whose value is a schema, a list of schemas, or an object of them. */
const holdsSchemas = {
  one: new Set(["additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"]),
  several: new Set(["allOf", "anyOf", "oneOf", "prefixItems"]),
  named: new Set(["dependentSchemas", "properties"]),
};
/** Keywords whose check takes time in proportion to their own size and the value's, and keywords that only describe. */
const plain = new Set([
  ...["$comment", "$schema", "const", "default", "dependentRequired", "deprecated", "description", "enum", "examples"],
  ...["exclusiveMaximum", "exclusiveMinimum", "format", "maxContains", "maxItems", "maxLength", "maxProperties"],
  ...["maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "readOnly"],
  ...["required", "title", "type", "writeOnly"],
]);

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * True for a schema whose check takes time at most in proportion to its size times the value's. Such a schema has no pattern,
 * which may backtrack, no reference, which may be circular, no `uniqueItems`, which compares all pairs, and no keyword that is
 * unknown here.
 */
export function isHarmless(schema: unknown): boolean {
  if (typeof schema === "boolean") return true;
  return isObject(schema) && Object.entries(schema).every(([keyword, value]) => isHarmlessKeyword(keyword, value));
}

function isHarmlessKeyword(keyword: string, value: unknown): boolean {
  if (plain.has(keyword)) return true;
  if (keyword === "items") return Array.isArray(value) ? value.every(isHarmless) : isHarmless(value);
  if (holdsSchemas.one.has(keyword)) return isHarmless(value);
  if (holdsSchemas.several.has(keyword)) return Array.isArray(value) && value.every(isHarmless);
  return holdsSchemas.named.has(keyword) && isObject(value) && Object.values(value).every(isHarmless);
}

const charactersPerUnit = 64;

/** Returns the size of a JSON value: one for each value in it and for each 64 characters. Infinity when it exceeds `most`. */
export function weigh(value: unknown, most: number): number {
  let weight = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    weight += 1 + (typeof next === "string" ? next.length / charactersPerUnit : 0);
    if (weight > most) return Infinity;
    if (typeof next !== "object" || next === null) continue;
    // Checked first, since listing a long array's keys takes long.
    if (Array.isArray(next) && next.length > most) return Infinity;
    for (const key in next) {
      weight += key.length / charactersPerUnit;
      waiting.push((next as Json)[key]);
      if (waiting.length > most) return Infinity;
    }
  }
  return weight;
}
