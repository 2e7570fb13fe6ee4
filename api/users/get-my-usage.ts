import { timeRange } from "../../shared/schemas/run-filter.ts";
import { me, userUsage } from "../../shared/schemas/user.ts";
import { readUsage } from "../../shared/store/users/read-usage.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

const shownMs = 30 * 24 * 3_600_000;

export const getMyUsage = defineOperation({
  method: "get",
  path: "/v1/users/me/usage",
  name: "get_my_usage",
  area: "Users",
  scope: "users:read",
  summary: "What your runs have used",
  description:
    "Of the runs that ended in the last 30 days, unless `since` and `until` say otherwise, and of those that were made then and go on.",
  request: { query: me.extend(timeRange) },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The sums", schema: userUsage } },
  async handle({ db }: ApiContext, { query, caller }) {
    const until = query.until ?? new Date();
    const since = query.since ?? new Date(until.getTime() - shownMs);
    return { status: 200, body: await readUsage(db, ownerOf(caller, query.user_id), since, until) };
  },
});
