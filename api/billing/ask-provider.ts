import { Stripe } from "stripe";
import type { Config } from "../../shared/platform/config/load-config.ts";
import { conflict, unavailable } from "../../shared/domain/errors/app-error.ts";

/** What `askProvider` throws. */
export const providerErrors = ["no_payment_provider", "provider_refused", "provider_unavailable"] as const;

const timeoutMs = 10_000;

/**
 * Asks the payment provider for something. Throws unavailable where no key is configured or it doesn't answer, conflict
 * with its words where it refuses.
 */
export async function askProvider<T>(
  { stripeKey, stripeUrl }: Config["billing"],
  ask: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  if (stripeKey === null)
    throw unavailable("no_payment_provider", "No payment provider is configured (STRIPE_SECRET_KEY).", 3_600);
  const protocol = stripeUrl.protocol === "http:" ? "http" : "https";
  const port = stripeUrl.port || (protocol === "http" ? 80 : 443);
  const place = { host: stripeUrl.hostname, port, protocol } as const;
  const stripe = new Stripe(stripeKey, { ...place, timeout: timeoutMs, maxNetworkRetries: 1, telemetry: false });
  try {
    return await ask(stripe);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) throw conflict("provider_refused", error.message);
    if (error instanceof Stripe.errors.StripeError)
      throw unavailable("provider_unavailable", "The payment provider can't be asked now.", 5);
    throw error;
  }
}
