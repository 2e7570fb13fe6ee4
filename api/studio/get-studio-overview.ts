import { seriesQuery, studioAnalytics, userScope } from "../../shared/schemas/analytics.ts";
import { readSeries } from "../../shared/store/analytics/read-series.ts";
import { countActiveRuns } from "../../shared/store/runs/read/active-runs.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readSeriesTimeRange } from "./read-series-time-range.ts";

export const getStudioOverview = defineOperation({
  method: "get",
  path: "/v1/studio/overview",
  name: "get_studio_overview",
  area: "Studio",
  scope: "studio:read",
  summary: "Analytics of all your runs over time",
  description: "Admins get the analytics of all users, or of the user in `user_id`.",
  request: { query: seriesQuery.extend(userScope) },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The analytics", schema: studioAnalytics } },
  handle: ({ read }: Pick<ApiContext, "read">, { query, caller }) =>
    read(async (db) => {
      const user_id = query.user_id === undefined ? caller.owner : ownerOf(caller, query.user_id);
      const timeRange = readSeriesTimeRange(query);
      const [figures, open] = await Promise.all([
        readSeries(db, user_id === null ? { by: "all" } : { by: "user", keys: [user_id] }, timeRange),
        countActiveRuns(db, { user_id }),
      ]);
      const { since, until, unit, timezone } = timeRange;
      const body = { since: since.toISOString(), until: until.toISOString(), unit, timezone, ...figures, open };
      return { status: 200, body };
    }),
});
