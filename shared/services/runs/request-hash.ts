import { createHash } from "node:crypto";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";

/** Returns the SHA-256 of a request. Two requests are the same when all fields are equal, in any order. */
export function requestHash(request: unknown): Buffer {
  return createHash("sha256").update(canonical(request)).digest();
}

/**
 * Returns the hash of an execute request. Without `adapter_type` it counts as `python`. Without tags and metadata it has the hash
 * that earlier releases stored.
 */
export function executeHash({ tags, metadata, ...request }: ExecuteRequest): Buffer {
  const annotations = {
    ...(tags.length > 0 ? { tags } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  return requestHash({ adapter_type: "python", ...request, ...annotations });
}

/** JSON with sorted keys. The depth was bounded when the body was parsed. */
function canonical(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
