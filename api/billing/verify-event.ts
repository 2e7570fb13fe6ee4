import { Stripe } from "stripe";
import { AppError } from "../../shared/errors.ts";

/** How far the signature's time may be from ours, either way. */
const toleranceSeconds = 300;

/**
 * Throws bad_request unless one of the secrets made the signature of these bytes, within five minutes from now. The
 * library itself takes signatures from the future.
 */
export function verifyEvent(body: Buffer, signature: string | undefined, secrets: readonly string[]): void {
  const made = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? "")?.[1]);
  const isNew = Math.abs(Date.now() / 1000 - made) <= toleranceSeconds;
  if (isNew && signature !== undefined && secrets.some((secret) => isSignedBy(body, signature, secret))) return;
  throw new AppError("bad_request", "invalid_signature", "The header Stripe-Signature doesn't sign this body.");
}

function isSignedBy(body: Buffer, signature: string, secret: string): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(body, signature, secret, toleranceSeconds) ?? false;
  } catch {
    return false;
  }
}
