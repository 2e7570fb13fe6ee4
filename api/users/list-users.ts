import { pageOf } from "../../shared/schemas/primitives.ts";
import { userListQuery, userRecord } from "../../shared/schemas/user.ts";
import { listUsers as readPage } from "../../shared/store/users/read-users.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listUsers = defineOperation({
  method: "get",
  path: "/v1/users",
  name: "list_users",
  area: "Users",
  scope: "admin",
  summary: "Users, newest first",
  description: "For operators: who may use the service, and who they are.",
  request: { query: userListQuery },
  responses: { 200: { description: "A page of users", schema: pageOf(userRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, filter, { limit, after, order }) };
  },
});
