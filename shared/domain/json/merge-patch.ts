import { requestLimits } from "../run/request-limits.ts";
import { ValidationFault } from "../errors/validation-fault.ts";

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Applies a merge patch (RFC 7396): null removes, objects are merged, everything else replaces. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(merged.get(key), value) : value);
  }
  // Unlike an assignment, this makes even `__proto__` an own key.
  return Object.fromEntries(merged);
}

/**
 * Returns the patched metadata. A null patch removes all of it. Throws ValidationFault when the metadata becomes too large, or gets
 * more than `mostKeys`.
 */
export function mergeMetadata(
  target: unknown,
  patch: JsonObject | null | undefined,
  mostKeys: number = Infinity,
): JsonObject {
  if (patch === null) return {};
  const merged = mergePatch(target, patch ?? {});
  const most = requestLimits.metadata_bytes;
  if (patch !== undefined && Buffer.byteLength(JSON.stringify(merged)) > most)
    throw new ValidationFault([
      { type: "value_error", loc: ["body", "metadata"], msg: `Value error, would be larger than ${most} bytes` },
    ]);
  if (patch !== undefined && Object.keys(merged).length > mostKeys)
    throw new ValidationFault([
      { type: "value_error", loc: ["body", "metadata"], msg: `Value error, would have more than ${mostKeys} keys` },
    ]);
  return merged;
}
