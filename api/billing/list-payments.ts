import { paidQuery, paymentRecord } from "../../shared/schemas/payment.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listPayments as readPage } from "../../shared/store/billing/list-paid.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listPayments = defineOperation({
  method: "get",
  path: "/v1/billing/payments",
  name: "list_payments",
  area: "Billing",
  scope: "billing:read",
  summary: "Payments, newest first",
  description: "Use it to see what was paid, refunded or disputed, and what of it is in the wallet.",
  request: { query: paidQuery },
  responses: { 200: { description: "A page of the list", schema: pageOf(paymentRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
