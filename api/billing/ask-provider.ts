import { Stripe } from "stripe";
import type { Config } from "../../shared/platform/config/load-config.ts";
import { conflict, unavailable } from "../../shared/domain/errors/app-error.ts";

/** The codes that `askProvider` throws. */
export const providerErrors = ["no_payment_provider", "provider_refused", "provider_unavailable"] as const;

const timeoutMs = 10_000;

/**
 * Sends a request to the payment provider. Throws unavailable when no key is configured or the provider does not answer, and
 * conflict with the provider's message when it refuses the request.
 */
export async function askProvider<T>(
  { stripeKey, stripeUrl }: Config["billing"],
  ask: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  if (stripeKey === null)
    throw unavailable("no_payment_provider", "No payment provider is configured. Set STRIPE_SECRET_KEY.", 3_600);
  const protocol = stripeUrl.protocol === "http:" ? "http" : "https";
  const port = stripeUrl.port || (protocol === "http" ? 80 : 443);
  const place = { host: stripeUrl.hostname, port, protocol } as const;
  const stripe = new Stripe(stripeKey, { ...place, timeout: timeoutMs, maxNetworkRetries: 1, telemetry: false });
  try {
    return await ask(stripe);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) throw conflict("provider_refused", error.message);
    if (error instanceof Stripe.errors.StripeError)
      throw unavailable("provider_unavailable", "The payment provider does not answer. Try again later.", 5);
    throw error;
  }
}
