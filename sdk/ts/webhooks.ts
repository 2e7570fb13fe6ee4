import { WebhookError } from "./errors.ts";
import type { WebhookMessage } from "./generated/types.ts";

/** A message may be this old, or this far ahead of our clock. */
const toleranceS = 300;

type HeaderSource = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * Checks that a callback or a webhook was sent by the service, and returns its message. `body`: the request's body as it came.
 * `secret`: as `users.rotateCallbackSecret` or `webhooks.create` gave it. Throws WebhookError. The same message may come
 * more than once: its `webhook-id` is the same.
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: HeaderSource,
  secret: string,
): Promise<WebhookMessage> {
  const [id, time, given] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => read(headers, name));
  if (!id || !time || !given)
    throw new WebhookError("The request has no webhook-id, webhook-timestamp or webhook-signature.");
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= toleranceS))
    throw new WebhookError("The time of the message is too far from now.");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const raw = decode(secret.replace(/^whsec_/, ""));
  if (raw.length === 0) throw new WebhookError("The secret is empty.");
  const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`);
  for (const signature of given.split(" "))
    if (signature.startsWith("v1,") && (await crypto.subtle.verify(hmac, key, decode(signature.slice(3)), signed)))
      return JSON.parse(text) as WebhookMessage;
  throw new WebhookError("The signature is not of this secret.");
}

const hmac = { name: "HMAC", hash: "SHA-256" };

function read(headers: HeaderSource, name: string): string | undefined {
  const value =
    typeof headers["get"] === "function" ? headers["get"](name) : (headers as Record<string, string | string[]>)[name];
  return (Array.isArray(value) ? value[0] : value) ?? undefined;
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new WebhookError("The secret or the signature is no base64.");
  }
}
