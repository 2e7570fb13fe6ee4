import { conflict } from "../../shared/domain/errors/app-error.ts";
import { planBody, planParams, planRecord } from "../../shared/schemas/plan.ts";
import { putPlan as put } from "../../shared/store/billing/plans.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const putPlan = defineOperation({
  method: "put",
  path: "/v1/billing/plans/{plan_id}",
  name: "put_plan",
  area: "Billing",
  scope: "admin",
  audit: "plan",
  summary: "Create or change a plan",
  description:
    "The plan `default` applies to every user without another plan. Changed limits apply after at most a second.",
  request: { params: planParams, body: planBody },
  errors: ["price_taken"],
  responses: { 200: { description: "The plan", schema: planRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { plan_id }, body: asked }) {
    const body = await put(db, plan_id, asked);
    if (!body)
      throw conflict(
        "price_taken",
        `Another plan has the provider_price_id '${asked.provider_price_id}'. Use another price.`,
      );
    return { status: 200, body };
  },
});
