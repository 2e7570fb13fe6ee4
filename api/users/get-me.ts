import { me, userRecord } from "../../shared/schemas/user.ts";
import { ensureUser } from "../../shared/store/users/change-user.ts";
import { readUser } from "../../shared/store/users/read-users.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getMe = defineOperation({
  method: "get",
  path: "/v1/users/me",
  name: "get_me",
  area: "Users",
  scope: "users:read",
  summary: "The user that the key belongs to",
  request: { query: me },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The user", schema: userRecord } },
  async handle({ db }: ApiContext, { query, caller }) {
    const id = ownerOf(caller, query.user_id);
    const body = (await readUser(db, id, null)) ?? (await ensureUser(db, id));
    return { status: 200, body };
  },
});
