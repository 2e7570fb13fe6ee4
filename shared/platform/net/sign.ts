import { createHmac } from "node:crypto";

export type SignedHeaders = {
  "webhook-id": string;
  /** Unix time of the try, in seconds. */
  "webhook-timestamp": string;
  /** One signature per secret, separated by spaces: a receiver accepts the message if it knows any of them. */
  "webhook-signature": string;
};

/**
 * Signs a message as Standard Webhooks defines it. `id` is the same at every try, so that a receiver recognizes repeats.
 * `secrets`: each `whsec_` and base64.
 */
export function sign(message: { id: string; body: string }, at: Date, secrets: string[]): SignedHeaders {
  const { id, body } = message;
  const timestamp = String(Math.floor(at.getTime() / 1000));
  // Encoded once for all secrets.
  const bytes = Buffer.from(body);
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.`, bytes)}`).join(" "),
  };
}

// By OpenSSL: the library of Standard Webhooks computes in JavaScript.
const hmac = (secret: string, head: string, body: Buffer): string =>
  createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(head)
    .update(body)
    .digest("base64");
