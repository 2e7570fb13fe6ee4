import { Stripe } from "stripe";
import { AppError } from "../../shared/domain/errors/app-error.ts";

/** The largest difference between the signature's time and ours, in both directions. */
const toleranceSeconds = 300;

type Known = { secrets: readonly string[]; now: Date };

/**
 * Throws bad_request unless one of the secrets signed these bytes within five minutes of `now`. The library alone would accept
 * signatures from the future.
 */
export function verifyEvent(body: Buffer, signature: string | undefined, { secrets, now }: Known): void {
  const made = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? "")?.[1]);
  const isNew = Math.abs(now.getTime() / 1000 - made) <= toleranceSeconds;
  if (isNew && signature !== undefined && secrets.some((secret) => isSignedBy(body, { signature, secret, now })))
    return;
  throw new AppError(
    "bad_request",
    "invalid_signature",
    "The header Stripe-Signature is no valid signature of this body. Check STRIPE_WEBHOOK_SECRET and both clocks.",
  );
}

function isSignedBy(
  body: Buffer,
  { signature, secret, now }: { signature: string; secret: string; now: Date },
): boolean {
  try {
    return (
      Stripe.webhooks.signature?.verifyHeader(body, signature, secret, toleranceSeconds, undefined, now.getTime()) ??
      false
    );
  } catch {
    return false;
  }
}
