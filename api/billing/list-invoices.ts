import { paidQuery, invoiceRecord } from "../../shared/schemas/payment.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listInvoices as readPage } from "../../shared/store/billing/list-paid.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listInvoices = defineOperation({
  method: "get",
  path: "/v1/billing/invoices",
  name: "list_invoices",
  area: "Billing",
  scope: "billing:read",
  summary: "Invoices, newest first",
  description: "Use it for the user's own records. `hosted_url` leads to the payment provider's page of the invoice.",
  request: { query: paidQuery },
  responses: { 200: { description: "A page of the list", schema: pageOf(invoiceRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
