import { notFound } from "../../shared/domain/errors/app-error.ts";
import { userParams, userPatch, userRecord } from "../../shared/schemas/user.ts";
import { patchUser } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const updateUser = defineOperation({
  method: "patch",
  path: "/v1/users/{user_id}",
  name: "update_user",
  area: "Users",
  scope: "users:write",
  audit: "user",
  summary: "Change a user's name, email address and metadata",
  description: "The body is a merge patch (RFC 7396).",
  request: { params: userParams, body: userPatch },
  responses: { 200: { description: "The user", schema: userRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { user_id }, body: patch, caller }) {
    const body = await patchUser(db, user_id, caller.owner, patch);
    if (!body) throw notFound("user", user_id);
    return { status: 200, body };
  },
});
