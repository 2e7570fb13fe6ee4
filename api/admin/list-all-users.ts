import { adminUser } from "../../shared/schemas/admin.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { userListQuery } from "../../shared/schemas/user.ts";
import { listUserFigures } from "../../shared/store/analytics/list-user-analytics.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";

export const listAllUsers = defineOperation({
  method: "get",
  path: "/v1/admin/users",
  name: "list_all_users",
  area: "Admin",
  scope: "admin",
  summary: "Users, with the analytics of their last 30 days",
  description: "Use it to find who uses the service most.",
  request: { query: userListQuery },
  responses: { 200: { description: "A page of users", schema: pageOf(adminUser) } },
  handle: ({ read }: Pick<ApiContext, "read">, { query }) =>
    read(async (db) => {
      const { limit, after, order, ...filter } = query;
      return { status: 200, body: await listUserFigures(db, filter, timeRangeOf(), { limit, after, order }) };
    }),
});
