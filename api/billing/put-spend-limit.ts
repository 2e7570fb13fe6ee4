import { spendLimitBody, wallet } from "../../shared/schemas/billing.ts";
import { readWallet } from "../../shared/store/billing/read-wallet.ts";
import { putSpendLimit as put } from "../../shared/store/billing/spend-limits.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const putSpendLimit = defineOperation({
  method: "put",
  path: "/v1/billing/spend-limit",
  name: "put_spend_limit",
  area: "Billing",
  scope: "billing:write",
  audit: "spend_limit",
  summary: "Set the spend limit of a day, a week or a month",
  description: "When the limit is reached, you are notified. If it is enforced, runs are refused with 402.",
  request: { body: spendLimitBody },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The wallet with its limits", schema: wallet } },
  async handle({ db }: Pick<ApiContext, "db">, { body, caller }) {
    const user_id = ownerOf(caller, body.user_id);
    await put(db, { ...body, user_id });
    return { status: 200, body: await readWallet(db, user_id) };
  },
});
