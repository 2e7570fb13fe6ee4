import { hash } from "node:crypto";

/** Returns the SHA-256 of a JSON value. Two values are the same when all fields are equal, in any order. */
export function hashJson(value: unknown): Buffer {
  return hash("sha256", canonical(value), "buffer");
}

/** JSON with sorted keys. The depth was bounded when the body was parsed. */
function canonical(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
