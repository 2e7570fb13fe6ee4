import { createHash } from "node:crypto";
import type { CallRecord } from "../../shared/schemas/gateway.ts";

/** Fields that differ from call to call and change no answer. */
const volatile = ["metadata", "user", "prompt_cache_key", "safety_identifier"];

/** A longer request is kept as its hash only. */
const mostRequest = 64 * 1024;

type Json = Record<string, unknown>;

/** Returns what makes a call the same as one of an earlier attempt: where it goes and what it asks. */
export function recordOf(method: string, url: URL, body: Json): CallRecord {
  const meant = Object.fromEntries(Object.entries(body).filter(([name]) => !volatile.includes(name)));
  const request = JSON.stringify(meant);
  const key = createHash("sha256")
    .update([method, url.host, url.pathname, url.search, request].join("\n"))
    .digest("hex");
  return { key: key.slice(0, 32), request: request.length <= mostRequest ? request : null };
}
