import { AppError } from "../../shared/domain/errors/app-error.ts";
import { isStripeSigned } from "../../shared/platform/secrets/verify-stripe-signature.ts";

type SignatureContext = { secrets: readonly string[]; now: Date };

/** Throws bad_request unless one of the secrets signed these bytes within five minutes of `now`. */
export function verifyEvent(body: Buffer, signature: string | undefined, { secrets, now }: SignatureContext): void {
  if (secrets.some((secret) => isStripeSigned(body, signature, { secret, now }))) return;
  throw new AppError(
    "bad_request",
    "invalid_signature",
    "The header Stripe-Signature is no valid signature of this body. Check STRIPE_WEBHOOK_SECRET and both clocks.",
  );
}
