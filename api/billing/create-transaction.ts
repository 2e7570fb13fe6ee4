import { transactionBody, transactionRecord } from "../../shared/schemas/billing.ts";
import { bookAdjustment } from "../../shared/store/billing/book-adjustment.ts";
import { readTransactions } from "../../shared/store/billing/list-transactions.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const createTransaction = defineOperation({
  method: "post",
  path: "/v1/billing/transactions",
  name: "create_transaction",
  area: "Billing",
  scope: "admin",
  idempotent: true,
  audit: "transaction",
  summary: "Credit or correct a user's wallet",
  description:
    "For operators: gives credit, or corrects a booking by its opposite. The `Idempotency-Key` keeps a repeated request from booking twice, and its key is kept for ever: take another one for each booking.",
  request: { body: transactionBody },
  responses: { 201: { description: "The booking", schema: transactionRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { headers, body: { user_id, amount_micro_usd, description = null } }) {
    const id = await bookAdjustment(
      db,
      { user_id, amount_micro_usd, description },
      headers?.["idempotency-key"] ?? null,
    );
    const [body] = await readTransactions(db, [id]);
    if (!body) throw new Error("A new booking has no row.");
    return { status: 201, body };
  },
});
