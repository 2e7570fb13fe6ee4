import { timeRange } from "../../shared/schemas/run-filter.ts";
import { me, userUsage } from "../../shared/schemas/user.ts";
import { readUsage } from "../../shared/store/users/read-usage.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getMyUsage = defineOperation({
  method: "get",
  path: "/v1/users/me/usage",
  name: "get_my_usage",
  area: "Users",
  scope: "users:read",
  summary: "The usage of your runs",
  description:
    "Counts the runs that ended in the last 30 days, or between `since` and `until`, and the runs that were created in that time and have not ended.",
  request: { query: me.extend(timeRange) },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The sums", schema: userUsage } },
  handle: ({ read }: Pick<ApiContext, "read">, { query, caller }) =>
    read(async (db) => {
      const { since, until } = timeRangeOf(query);
      return { status: 200, body: await readUsage(db, ownerOf(caller, query.user_id), since, until) };
    }),
});
