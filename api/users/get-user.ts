import { notFound } from "../../shared/domain/errors/app-error.ts";
import { userParams, userRecord } from "../../shared/schemas/user.ts";
import { readUser } from "../../shared/store/users/read-users.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getUser = defineOperation({
  method: "get",
  path: "/v1/users/{user_id}",
  name: "get_user",
  area: "Users",
  scope: "users:read",
  summary: "A user",
  description: "For operators, who see every user. `GET /v1/users/me` reads one's own.",
  request: { params: userParams },
  responses: { 200: { description: "The user", schema: userRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { user_id }, caller }) {
    const body = await readUser(db, user_id, caller.owner);
    if (!body) throw notFound("user", user_id);
    return { status: 200, body };
  },
});
