import { createHash } from "node:crypto";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";

/** What makes two requests the same: every field, whatever the order of keys. SHA-256. */
export function requestHash(request: unknown): Buffer {
  return createHash("sha256").update(canonical(request)).digest();
}

/** The same of an execute request. An adapter that is left out counts as the usual one. */
export const executeHash = (request: ExecuteRequest): Buffer => requestHash({ adapter_type: "python", ...request });

/** JSON with sorted keys. The depth was bounded when the body was parsed. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
