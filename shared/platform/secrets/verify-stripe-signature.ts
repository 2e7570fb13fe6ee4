import { isUtf8 } from "node:buffer";
import { Stripe } from "stripe";

/** The largest difference between the signature's time and ours, in both directions. */
const toleranceSeconds = 300;

/** True for bytes that are the text which the library checks: it reads other bytes as U+FFFD, and leaves a byte order mark out. */
const isPlainUtf8 = (body: Buffer): boolean => isUtf8(body) && !body.subarray(0, 3).equals(byteOrderMark);

const byteOrderMark = Buffer.from("\ufeff");

/**
 * True when the header `Stripe-Signature` says that the secret signed these bytes within five minutes of `now`. The library alone
 * would accept signatures from the future.
 */
export function isStripeSigned(
  body: Buffer,
  signature: string | undefined,
  { secret, now }: { secret: string; now: Date },
): boolean {
  const made = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? "")?.[1]);
  const isNew = Math.abs(now.getTime() / 1000 - made) <= toleranceSeconds;
  if (!isNew || signature === undefined || !isPlainUtf8(body)) return false;
  try {
    return (
      Stripe.webhooks.signature?.verifyHeader(body, signature, secret, toleranceSeconds, undefined, now.getTime()) ??
      false
    );
  } catch {
    return false;
  }
}
