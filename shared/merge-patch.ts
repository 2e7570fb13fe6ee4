type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** RFC 7396: null removes, objects merge, everything else replaces. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(merged.get(key), value) : value);
  }
  // Unlike an assignment, this makes even a key `__proto__` an own one.
  return Object.fromEntries(merged);
}
