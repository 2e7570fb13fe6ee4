import { planRecord } from "../../shared/schemas/plan.ts";
import { pageOf, pageQuery } from "../../shared/schemas/primitives.ts";
import { listPlans as readPage } from "../../shared/store/billing/plans.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listPlans = defineOperation({
  method: "get",
  path: "/v1/billing/plans",
  name: "list_plans",
  area: "Billing",
  scope: "billing:read",
  summary: "Plans, newest first",
  description: "Use it to offer plans: what each costs and allows.",
  request: { query: pageQuery },
  responses: { 200: { description: "A page of plans", schema: pageOf(planRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query }) {
    return { status: 200, body: await readPage(db, query) };
  },
});
