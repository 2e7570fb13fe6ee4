type Json = Record<string, unknown>;

/** A schema's author decides how deep it is. */
const deepest = 16;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns a value with the `default`s of a JSON Schema's `properties` where the value has no such field; within objects and items
 * of arrays, too. Other parts of the value are the same objects.
 */
export function applyDefaults<T>(schema: Json, value: T, depth = 0): T {
  if (depth > deepest) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? (value.map((item: unknown) => applyDefaults(items, item, depth + 1)) as T) : value;
  }
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties)) return value;
  const filled = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    if (!isObject(property)) return [];
    if (Object.hasOwn(value, name)) return [[name, applyDefaults(property, value[name], depth + 1)]];
    return "default" in property ? [[name, property["default"]]] : [];
  });
  return { ...value, ...Object.fromEntries(filled) };
}
