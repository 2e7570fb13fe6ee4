import { AppError, notFound } from "../../shared/domain/errors/app-error.ts";
import { subscriptionBody, subscriptionRecord } from "../../shared/schemas/billing.ts";
import { covers } from "../../shared/schemas/scope.ts";
import { readPlan } from "../../shared/store/billing/plans.ts";
import { makeSubscription, readSubscription } from "../../shared/store/billing/subscriptions.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const createSubscription = defineOperation({
  method: "post",
  path: "/v1/billing/subscriptions",
  name: "create_subscription",
  area: "Billing",
  scope: "billing:write",
  idempotent: true,
  audit: "subscription",
  summary: "Subscribe to a free plan",
  description:
    "An admin may give a user any plan. Others buy a plan that has a price or a `provider_price_id` by `POST /v1/billing/checkout`; here it is a 402. The newest active subscription decides a user's plan. A run is priced by the plan under which it was accepted.",
  request: { body: subscriptionBody },
  errors: ["foreign_user_id", "plan_not_found", "payment_required"],
  responses: {
    200: { description: "The subscription that gives the user this plan already", schema: subscriptionRecord },
    201: { description: "The new subscription", schema: subscriptionRecord },
  },
  async handle({ db }: Pick<ApiContext, "db">, { body: { plan_id, user_id }, caller }) {
    const owner = ownerOf(caller, user_id);
    const plan = await readPlan(db, plan_id);
    if (!plan?.active) throw notFound("plan", plan_id);
    // The provider charges its own price, whatever ours says.
    const isSold = plan.price_micro_usd > 0 || plan.provider_price_id !== null;
    if (isSold && !covers(caller.scopes, "admin"))
      throw new AppError(
        "quota_exceeded",
        "payment_required",
        "The plan has a price. Buy it with POST /v1/billing/checkout.",
      );
    const { id, isNew } = await makeSubscription(db, owner, plan_id);
    const body = await readSubscription(db, id, null);
    if (!body) throw new Error("A new subscription has no row.");
    return isNew ? { status: 201, body } : { status: 200, body };
  },
});
