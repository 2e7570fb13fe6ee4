import { Stripe } from "stripe";
import { AppError } from "../../shared/domain/errors/app-error.ts";

/** How far the signature's time may be from ours, either way. */
const toleranceSeconds = 300;

type Known = { secrets: readonly string[]; now: Date };

/**
 * Throws bad_request unless one of the secrets made the signature of these bytes, within five minutes from `now`. The
 * library itself takes signatures from the future.
 */
export function verifyEvent(body: Buffer, signature: string | undefined, { secrets, now }: Known): void {
  const made = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? "")?.[1]);
  const isNew = Math.abs(now.getTime() / 1000 - made) <= toleranceSeconds;
  if (isNew && signature !== undefined && secrets.some((secret) => isSignedBy(body, { signature, secret, now })))
    return;
  throw new AppError("bad_request", "invalid_signature", "The header Stripe-Signature doesn't sign this body.");
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
