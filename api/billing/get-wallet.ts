import { wallet } from "../../shared/schemas/billing.ts";
import { me } from "../../shared/schemas/user.ts";
import { readWallet } from "../../shared/store/billing/read-wallet.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getWallet = defineOperation({
  method: "get",
  path: "/v1/billing/wallet",
  name: "get_wallet",
  area: "Billing",
  scope: "billing:read",
  summary: "Your balance, your plan and this week's usage",
  description: "Use it before a large batch, to see whether a run would be refused for lack of money or quota.",
  request: { query: me },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The wallet", schema: wallet } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    return { status: 200, body: await readWallet(db, ownerOf(caller, query.user_id)) };
  },
});
