import { hostedPage, portalBody } from "../../shared/schemas/billing.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { askProvider, providerErrors } from "./ask-provider.ts";
import { findCustomer } from "./find-customer.ts";

export const createPortal = defineOperation({
  method: "post",
  path: "/v1/billing/portal",
  name: "create_portal",
  area: "Billing",
  scope: "billing:write",
  audit: "user",
  summary: "Create a page for managing cards, invoices and subscriptions",
  description: "The page is the payment provider's. 503 when no provider is configured.",
  request: { body: portalBody },
  errors: ["foreign_user_id", ...providerErrors],
  responses: { 201: { description: "The page", schema: hostedPage } },
  async handle(ctx: Pick<ApiContext, "config" | "db" | "log">, { body: { return_url, user_id }, caller }) {
    const customer = await findCustomer(ctx, ownerOf(caller, user_id));
    const { id, url } = await askProvider(ctx, ({ billingPortal }) =>
      billingPortal.sessions.create({ customer, return_url }),
    );
    return { status: 201, body: { id, url } };
  },
});
