import { transactionQuery, transactionRecord } from "../../shared/schemas/billing.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listTransactions as readPage } from "../../shared/store/billing/list-transactions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listTransactions = defineOperation({
  method: "get",
  path: "/v1/billing/transactions",
  name: "list_transactions",
  area: "Billing",
  scope: "billing:read",
  summary: "Bookings of wallets, newest first",
  description: "Use it to account for a balance: each booking with its cause and its two entries.",
  request: { query: transactionQuery },
  responses: { 200: { description: "A page of the list", schema: pageOf(transactionRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
