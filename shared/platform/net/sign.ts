import { Webhook } from "standardwebhooks";

export type SignedHeaders = {
  "webhook-id": string;
  /** Unix time of the try, in seconds. */
  "webhook-timestamp": string;
  /** One signature per secret, separated by spaces: a receiver accepts the message if it knows any of them. */
  "webhook-signature": string;
};

/** Signs a message as Standard Webhooks defines it. `id` is the same at every try, so that a receiver recognizes repeats. */
export function sign(message: { id: string; body: string }, at: Date, secrets: string[]): SignedHeaders {
  const { id, body } = message;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
