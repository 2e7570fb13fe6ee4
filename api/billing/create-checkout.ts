import type { Stripe } from "stripe";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { checkoutBody, hostedPage } from "../../shared/schemas/billing.ts";
import { readPlan } from "../../shared/store/billing/plans.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { askProvider, providerErrors } from "./ask-provider.ts";
import { findCustomer } from "./find-customer.ts";

type Params = Stripe.Checkout.SessionCreateParams;

export const createCheckout = defineOperation({
  method: "post",
  path: "/v1/billing/checkout",
  name: "create_checkout",
  area: "Billing",
  scope: "billing:write",
  idempotent: true,
  audit: "user",
  summary: "Create a checkout page for a plan or a wallet top-up",
  description:
    "Send the user to `url`, a page of the payment provider. The provider reports the payment by its webhook. 503 when no provider is configured.",
  request: { body: checkoutBody },
  errors: ["foreign_user_id", "plan_not_found", "plan_not_for_sale", ...providerErrors],
  responses: { 201: { description: "The page", schema: hostedPage } },
  async handle(ctx: Pick<ApiContext, "config" | "db" | "log">, { body, caller }) {
    const { plan_id = null, amount_usd_cents = null, success_url, cancel_url } = body;
    const user_id = ownerOf(caller, body.user_id);
    const bought = plan_id === null ? topUp(user_id, amount_usd_cents) : await planOf(ctx, user_id, plan_id);
    const customer = await findCustomer(ctx, user_id);
    const common = { customer, client_reference_id: user_id, metadata: { user_id }, success_url };
    const asked = { ...common, ...(cancel_url == null ? {} : { cancel_url }), ...bought };
    const { id, url } = await askProvider(ctx, ({ checkout }) => checkout.sessions.create(asked));
    if (!url) throw new Error("A hosted session has an address.");
    return { status: 201, body: { id, url } };
  },
});

function topUp(user_id: string, amount: number | null): Params {
  if (amount === null)
    throw new ValidationFault([
      { type: "value_error", loc: ["body"], msg: "Value error, give plan_id or amount_usd_cents" },
    ]);
  const price_data = { currency: "usd", unit_amount: amount, product_data: { name: "Credit" } };
  return {
    mode: "payment",
    line_items: [{ quantity: 1, price_data }],
    // The payment's event carries this metadata, which names the user whose wallet is topped up.
    payment_intent_data: { metadata: { user_id } },
  };
}

async function planOf({ db }: Pick<ApiContext, "db">, user_id: string, plan_id: string): Promise<Params> {
  const plan = await readPlan(db, plan_id);
  if (!plan?.active) throw notFound("plan", plan_id);
  if (plan.provider_price_id === null)
    throw conflict(
      "plan_not_for_sale",
      `The plan '${plan_id}' has no price at the payment provider, so it can't be bought. An admin can set provider_price_id.`,
    );
  return {
    mode: "subscription",
    line_items: [{ quantity: 1, price: plan.provider_price_id }],
    subscription_data: { metadata: { user_id, plan_id } },
  };
}
