import { Stripe } from "stripe";
import { conflict, unavailable } from "../../shared/domain/errors/app-error.ts";
import { errorText } from "../../shared/platform/error-text.ts";
import type { ApiContext } from "../context.ts";

/** The codes that `askProvider` throws. */
export const providerErrors = ["no_payment_provider", "provider_refused", "provider_unavailable"] as const;

const timeoutMs = 10_000;

/** Of these the provider's own trouble or ours with the network is the cause, so a later request may succeed. */
const passing = [
  Stripe.errors.StripeConnectionError,
  Stripe.errors.StripeAPIError,
  Stripe.errors.StripeRateLimitError,
] as const;

/**
 * Sends a request to the payment provider. Throws unavailable when no key is configured or the provider does not answer, and
 * conflict when it refuses the request: with the provider's message where the request itself or a card is at fault. Other reasons, such as a
 * key that was revoked, are the operator's, and stand in the log.
 */
export async function askProvider<T>(
  { config, log }: Pick<ApiContext, "config" | "log">,
  ask: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  const { stripeKey, stripeUrl } = config.billing;
  if (stripeKey === null)
    throw unavailable("no_payment_provider", "No payment provider is configured. Set STRIPE_SECRET_KEY.", 3_600);
  const protocol = stripeUrl.protocol === "http:" ? "http" : "https";
  const port = stripeUrl.port || (protocol === "http" ? 80 : 443);
  const place = { host: stripeUrl.hostname, port, protocol } as const;
  const stripe = new Stripe(stripeKey, { ...place, timeout: timeoutMs, maxNetworkRetries: 1, telemetry: false });
  try {
    return await ask(stripe);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof Stripe.errors.StripeCardError)
      throw conflict("provider_refused", error.message);
    const { type, code, statusCode: status, requestId: request_id } = error;
    log.warn(
      { type, code, status, request_id, err: errorText(error) },
      "the payment provider refused or failed a request",
    );
    if (passing.some((kind) => error instanceof kind))
      throw unavailable("provider_unavailable", "The payment provider does not answer. Try again later.", 5);
    throw conflict("provider_refused", "The payment provider refused the request. The API's log says why.");
  }
}
