import { costQuery, costs } from "../../shared/schemas/admin.ts";
import { readCosts } from "../../shared/store/analytics/read-costs.ts";
import { readAnalytics } from "../../shared/store/analytics/read-analytics.ts";
import { addSums, toAnalytics } from "../../shared/store/analytics/to-analytics.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const getCosts = defineOperation({
  method: "get",
  path: "/v1/admin/costs",
  name: "get_costs",
  area: "Admin",
  scope: "admin",
  summary: "Costs by user or agent, highest first",
  description:
    "The costs of runs that ended in the last 30 days, or between `since` and `until`: those that were metered, or where no call of a run was, those that its agent reported.",
  request: { query: costQuery },
  responses: { 200: { description: "The costs", schema: costs } },
  handle: ({ read }: Pick<ApiContext, "read">, { query: { by, limit, ...query } }) =>
    read(async (db) => {
      const { since, until } = timeRangeOf(query);
      const [data, sums] = await Promise.all([
        readCosts(db, by, { since, until }, limit),
        readAnalytics(db, { by: "all" }, { since, until, unit: null, timezone: "UTC" }),
      ]);
      const total = toAnalytics(addSums(sums));
      return { status: 200, body: { since: since.toISOString(), until: until.toISOString(), by, total, data } };
    }),
});
